import * as zlib from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { unpackZstd, unzstd } from '../src/archive/zstd.js';
import { FileError } from '../src/file-error.js';
import { ZSTD_CSV } from './fixtures.js';
import { memoryFile } from './make.js';

const text = Buffer.from(
  `x,y,label\n${Array.from({ length: 60 }, (_, i) => `${pythonNumber(((i * 7) % 13) / 4)},${Math.sin(i).toFixed(4)},${'abc'[i % 3]}\n`).join('')}`,
);

function pythonNumber(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

async function unpack(packed: Uint8Array, memory = 2 ** 24): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of unzstd(memoryFile(packed).open(), 'test', memory)) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

const fail = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

interface FrameOptions {
  /** The window's byte; none in a frame of a single segment. */
  readonly window?: number;
  /** The size that it claims. */
  readonly size?: bigint;
  readonly dictionary?: number;
}

/** A frame of plain blocks, or of one byte repeated, made by hand. */
function frame(content: string, { window = 0x50, size, dictionary = 0 }: FrameOptions = {}): Buffer {
  const flags = (size === undefined ? 0 : 3 << 6) | (dictionary === 0 ? 0 : 1);
  const claimed = Buffer.alloc(8);
  claimed.writeBigUInt64LE(size ?? 0n);
  const block = Buffer.alloc(3);
  block.writeUIntLE((content.length << 3) | 1, 0, 3);
  return Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, flags, window]),
    Buffer.from(dictionary === 0 ? [] : [dictionary]),
    size === undefined ? Buffer.alloc(0) : claimed,
    block,
    Buffer.from(content, 'latin1'),
  ]);
}

/** Frames of 100,000 bytes each. */
function rawFrames(content: Buffer): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at < content.length; at += 100_000)
    frames.push(frame(content.subarray(at, at + 100_000).toString('latin1')));
  return Buffer.concat(frames);
}

const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 1, 2, 3, 4, 5]);

describe('zstd', () => {
  it('unpacks what the reference implementation packed', async () => {
    for (const packed of Object.values(ZSTD_CSV)) {
      expect((await unpack(Buffer.from(packed, 'base64'))).equals(text)).toBe(true);
      expect(Buffer.from(await unpackZstd(Buffer.from(packed, 'base64'), text.length)).equals(text)).toBe(true);
    }
  });

  it('never unpacks a checksummed file with any one bit flipped to something else', async () => {
    const packed = Buffer.from(ZSTD_CSV.checked, 'base64');
    for (let bit = 0; bit < 8 * packed.length; bit++) {
      const flipped = flip(packed, bit);
      const result = await fail(unpack(flipped));
      if (result instanceof Buffer) expect([bit, result.equals(text)]).toEqual([bit, true]);
      else expect(result).toBeInstanceOf(FileError);
    }
  });

  it('unpacks a file without checksum and with a flipped bit as the reference does, or refuses it', async () => {
    const packed = Buffer.from(ZSTD_CSV.plain, 'base64');
    const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Uint8Array };
    for (let bit = 0; bit < 8 * packed.length; bit++) {
      const flipped = flip(packed, bit);
      const result = await fail(unpack(flipped));
      if (!(result instanceof Buffer)) expect(result).toBeInstanceOf(FileError);
      // Only newer versions of Node have a second decoder.
      else if (zstdDecompressSync) expect([bit, result.equals(zstdDecompressSync(flipped))]).toEqual([bit, true]);
    }
  });

  it('reads several frames, and skips those that are to be skipped', async () => {
    const whole = Buffer.concat([skippable, frame('a,b\n'), frame(''), skippable, frame('1,2\n', { size: 4n })]);
    expect(String(await unpack(whole))).toBe('a,b\n1,2\n');
    expect(String(Buffer.from(await unpackZstd(whole, 8)))).toBe('a,b\n1,2\n');
  });

  it.each<[string, Buffer, string, RegExp]>([
    [
      'claims a terabyte and holds ten bytes',
      frame('0123456789', { size: 2n ** 40n }),
      'BAD_FILE',
      /claims 1099511627776/,
    ],
    ['claims less than it holds', frame('0123456789', { size: 9n }), 'BAD_FILE', /claims 9/],
    ['needs a window of 2 GB', frame('0123456789', { window: 0xa8 }), 'TOO_LARGE', /window .* Allow more memory/],
    ['needs a dictionary', frame('0123456789', { dictionary: 7 }), 'BAD_FILE', /dictionary/],
    [
      'is followed by something else',
      Buffer.concat([frame('0123456789'), Buffer.from('more')]),
      'BAD_FILE',
      /not zstd/,
    ],
  ])('refuses a frame that %s', async (_, packed, code, message) => {
    const error = await fail(unpack(packed));
    expect(error).toMatchObject({ name: 'FileError', code });
    expect((error as Error).message).toMatch(message);
  });

  it('refuses a file that is cut off, wherever that is', async () => {
    const packed = Buffer.from(ZSTD_CSV.checked, 'base64');
    for (let length = 1; length < packed.length; length++) {
      expect(await fail(unpack(packed.subarray(0, length)))).toMatchObject({
        name: 'FileError',
        code: 'FILE_TRUNCATED',
      });
      expect(await fail(unpackZstd(packed.subarray(0, length), text.length))).toBeInstanceOf(RangeError);
    }
  });

  it('explains that it needs WebAssembly', async () => {
    vi.resetModules();
    vi.stubGlobal('WebAssembly', undefined);
    try {
      const fresh = await import('../src/archive/zstd.js');
      const chunks = fresh.unzstd(memoryFile(frame('a,b\n')).open(), 'test', 2 ** 24);
      expect(await fail(chunks.next())).toMatchObject({
        name: 'FileError',
        code: 'UNSUPPORTED',
        message: expect.stringMatching(/^test is packed with zstd: WebAssembly.* Unpack it with zstd -d first\.$/),
      });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('unpacks many pieces at the same time', async () => {
    const packed = Buffer.from(ZSTD_CSV.plain, 'base64');
    const pieces = await Promise.all(Array.from({ length: 100 }, () => unpackZstd(packed, text.length)));
    expect(pieces.every((piece) => text.equals(piece))).toBe(true);
  });

  it('unpacks two files in turn, chunk by chunk', async () => {
    const contents = [7, 11].map((factor) => Buffer.from(Uint8Array.from({ length: 400_000 }, (_, i) => i * factor)));
    const readers = contents.map((content) => unzstd(memoryFile(rawFrames(content)).open(), 'test', 2 ** 24));
    const parts: Buffer[][] = [[], []];
    for (let ended = 0; ended < 2; ) {
      for (const [i, reader] of readers.entries()) {
        const next = await reader.next();
        if (next.done) ended++;
        else parts[i].push(Buffer.from(next.value));
      }
    }
    for (const [i, content] of contents.entries()) expect(Buffer.concat(parts[i]).equals(content)).toBe(true);
  });

  it('unpacks a quarter of a gigabyte from 8 kB in little memory', async () => {
    // Blocks of one byte, repeated 128 KiB times each.
    const blocks = Buffer.from([0x02, 0x00, 0x10, 0x61]);
    const bomb = Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58]),
      Buffer.concat(new Array<Buffer>(2048).fill(blocks)),
      Buffer.from([0x01, 0x00, 0x00]),
    ]);
    const before = process.memoryUsage().arrayBuffers;
    let [size, most] = [0, 0];
    for await (const part of unzstd(memoryFile(bomb).open(), 'test', 2 ** 24)) {
      size += part.length;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(size).toBe(2 ** 28);
    expect(most).toBeLessThan(2 ** 24);
  });
});

function flip(bytes: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[bit >> 3] ^= 1 << (bit & 7);
  return flipped;
}
