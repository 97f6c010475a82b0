import { constants, deflateRawSync, gzipSync, inflateRawSync, crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/sample.js';
import { crc32 } from '../../core/src/data/storage/crc32.js';
import { plainUnpackers, type Unpack } from '../src/archive/unpack.js';
import { type ByteReader, readerAt } from '../src/bytes/bytes.js';

/** Bytes that come in pieces of a length. */
function inPieces(content: Uint8Array, most: number): ByteReader {
  return readerAt(async (into, position) => {
    let filled = 0;
    while (filled < into.length && position + filled < content.length) {
      const part = content.subarray(position + filled, position + filled + Math.min(most, into.length - filled));
      into.set(part, filled);
      filled += part.length;
    }
    return filled;
  });
}

async function unpackAll(unpack: Unpack, content: Uint8Array, limit = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const iterator = unpack(inPieces(content, 7919), 'test', 2 ** 24);
  let size = 0;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > limit) break;
  }
  return Buffer.concat(chunks);
}

const outcome = (work: Promise<Buffer>): Promise<Buffer | { code: string }> =>
  work.catch((error: { code: string }) => error);

/** Data that repeat themselves near and far, or not at all. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }),
  fc
    .array(fc.constantFrom('a', 'ab', '1.25,', 'the quick brown fox', '\n', '0000000000000'), { maxLength: 3000 })
    .map((words) => Buffer.from(words.join(''))),
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 40_000 }), fc.integer({ min: 1, max: 12 }))
    .map(([bytes, times]) => Buffer.concat(new Array<Uint8Array>(times).fill(bytes))),
  fc.tuple(fc.nat(255), fc.nat(300_000)).map(([byte, length]) => Buffer.alloc(length, byte)),
);

describe('inflate', () => {
  it('gives back whatever was packed, however it was packed', async () => {
    const how = fc.record({
      level: fc.integer({ min: 0, max: 9 }),
      memLevel: fc.integer({ min: 1, max: 9 }),
      windowBits: fc.integer({ min: 9, max: 15 }),
      strategy: fc.constantFrom(
        constants.Z_DEFAULT_STRATEGY,
        constants.Z_FIXED,
        constants.Z_HUFFMAN_ONLY,
        constants.Z_RLE,
        constants.Z_FILTERED,
      ),
    });
    await fc.assert(
      fc.asyncProperty(content, how, async (bytes, options) => {
        const packed = deflateRawSync(bytes, options);
        expect(Buffer.compare(await unpackAll(plainUnpackers.deflate, packed), bytes)).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('accepts what zlib accepts, and refuses what zlib refuses', async () => {
    const packed = deflateRawSync(Buffer.from('a,b,c\n1,2,3\n4,5,6\n7,8,9\nabcabcabcabcabc'.repeat(9)));
    const damaged = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
      fc
        .record({ at: fc.nat(packed.length - 1), to: fc.nat(255), cut: fc.nat(packed.length) })
        .map(({ at, to, cut }) => {
          const changed = Uint8Array.from(packed);
          changed[at] = to;
          return cut % 3 === 0 ? changed.subarray(0, cut) : changed;
        }),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (bytes) => {
        const ours = await outcome(unpackAll(plainUnpackers.deflate, bytes, 1 << 20));
        let theirs: Buffer | string;
        try {
          theirs = inflateRawSync(bytes);
        } catch (error) {
          theirs = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? 'FILE_TRUNCATED' : 'BAD_FILE';
        }
        // We may detect invalid codes before the data end. zlib reports them too if more data follow.
        if (theirs === 'FILE_TRUNCATED' && (ours as { code?: string }).code === 'BAD_FILE') {
          for (const filler of [0, 85, 170, 255])
            expect(() => inflateRawSync(Buffer.concat([bytes, Buffer.alloc(600, filler)]))).toThrow();
        } else if (typeof theirs === 'string') expect(ours).toMatchObject({ code: theirs });
        else expect(Buffer.compare(ours as Buffer, theirs)).toBe(0);
      }),
      // Found by chance: the end of the data within a repetition of nothing, and a code without symbols.
      {
        numRuns: runs(5000, 20_000),
        examples: [[Uint8Array.of(28, 160, 86, 52, 168, 186)], [Uint8Array.of(4, 0, 0, 0)]],
      },
    );
  }, 120_000);
});

describe('gunzip', () => {
  const unpack = (bytes: Uint8Array): Promise<Buffer | { code: string }> =>
    outcome(unpackAll(plainUnpackers.gzip, bytes));
  const parts = ['a,b\n1,2\n', '', '3,4\n'.repeat(50_000), '5,6\n'].map((text) => Buffer.from(text));

  it('reads all members, of any number and size', async () => {
    const packed = Buffer.concat(parts.map((part) => gzipSync(part)));
    expect(await unpack(packed)).toEqual(Buffer.concat(parts));
    const many = Array.from({ length: 3000 }, (_, i) => Buffer.from(`${i},${i * i}\n`));
    expect(await unpack(Buffer.concat(many.map((part) => gzipSync(part))))).toEqual(Buffer.concat(many));
  });

  it('steps over names, comments, extra fields and sums in headers', async () => {
    const body = gzipSync('hello').subarray(10);
    const header = Buffer.from([0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 255]);
    const extra = Buffer.concat([Buffer.from([0xff, 0xff]), Buffer.alloc(0xffff, 7)]);
    const packed = Buffer.concat([header, extra, Buffer.from('name\0a comment\0'), Buffer.from([1, 2]), body]);
    expect(await unpack(packed)).toEqual(Buffer.from('hello'));
    expect(await unpack(Buffer.concat([packed, packed]))).toEqual(Buffer.from('hellohello'));
  });

  it('takes zeros at the end, and nothing else', async () => {
    const packed = gzipSync('hello');
    expect(await unpack(Buffer.concat([packed, Buffer.alloc(1000)]))).toEqual(Buffer.from('hello'));
    for (const more of ['x', '\0x', '\x1fx', '\0\x1f\x8b', '\x1f\x8b\x09\x00\x00\x00\x00\x00\x00\x00']) {
      expect(await unpack(Buffer.concat([packed, Buffer.from(more, 'latin1')]))).toMatchObject({ code: 'BAD_FILE' });
    }
    for (const more of ['\x1f', '\x1f\x8b', '\x1f\x8b\x08\x00\x00']) {
      expect(await unpack(Buffer.concat([packed, Buffer.from(more, 'latin1')]))).toMatchObject({
        code: 'FILE_TRUNCATED',
      });
    }
  });

  it('cut off anywhere is cut off, in any member', async () => {
    const packed = Buffer.concat([gzipSync('some text, some text'), gzipSync(Buffer.from('more of it'))]);
    const first = gzipSync('some text, some text').length;
    for (let length = 0; length < packed.length; length++) {
      if (length === first) continue;
      expect(await unpack(packed.subarray(0, length)), String(length)).toMatchObject({ code: 'FILE_TRUNCATED' });
    }
  });

  it('with any bit changed behind its header is refused', async () => {
    const packed = gzipSync('some text, some text, and 1234567890');
    for (let at = 10; at < packed.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Uint8Array.from(packed);
        changed[at] ^= 1 << bit;
        expect(await unpack(changed), `${at}:${bit}`).toMatchObject({
          code: expect.stringMatching(/^(BAD_FILE|FILE_TRUNCATED)$/),
        });
      }
    }
  });
});

it('crc32 is that of zlib, in parts too', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, cut) => {
      expect(crc32(bytes)).toBe(zlibCrc32(bytes));
      expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(zlibCrc32(bytes));
    }),
  );
});
