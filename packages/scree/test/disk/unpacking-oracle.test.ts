import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Bytes, blobBytes, plainPlatform, type Unpackers } from '@scree/files/platform';
import { afterAll, describe, expect, it } from 'vitest';
import { Random } from '../../../../test/fuzz/random.js';
import { pythonWith, runPython } from '../../../../test/python.js';
import { unpackLz4 } from '../../../files/src/archive/lz4.js';
import { readZip, seekable } from '../../../files/src/archive/zip.js';
import { arrayBytes, checkedBytes, startMemberCheck } from '../../../files/src/archive/zip-member.js';
import { memoryFile, zipFile } from '../../../files/test/make.js';
import { nodeUnpackers } from '../../src/disk/unpackers.js';

/**
 * Compares what is unpacked here with Python's gzip and zipfile, the lz4 package, and the zstd program, on sound and damaged files: a file
 * that they refuse must be refused here, and a file that is accepted here must give the same bytes. `npm run test:oracle` tries more files.
 */

const python = pythonWith('lz4.frame');
const folder = mkdtempSync(join(tmpdir(), 'scree-oracle-'));
afterAll(() => rmSync(folder, { recursive: true }));
const COUNT = Number(process.env.SCREE_ORACLE ?? 300);
const SEED = Number(process.env.SCREE_SEED ?? 1) >>> 0;

const ORACLE = readFileSync(new URL('../../../../test/unpacking-oracle.py', import.meta.url), 'utf8');

const PACK = `
import lz4.frame, subprocess, sys
kind, path = sys.argv[1], sys.argv[2]
with open(path, 'rb') as file: content = file.read()
def zstd(*options): return subprocess.run(['zstd', '-cq', *options], input=content, capture_output=True, check=True).stdout
packed = {
    'zstd': lambda: [zstd(), zstd('--no-check', '-19'), zstd('-1', '--long=24'), zstd('--no-check', '-B1000')],
    'lz4': lambda: [
        lz4.frame.compress(content),
        lz4.frame.compress(content, content_checksum=True, block_checksum=True, block_size=lz4.frame.BLOCKSIZE_MAX64KB),
        lz4.frame.compress(content, block_linked=False, store_size=False, block_size=lz4.frame.BLOCKSIZE_MAX64KB),
    ],
}[kind]()
for i, each in enumerate(packed):
    with open(f'{path}.{i}', 'wb') as file: file.write(each)
print(len(packed))
`;

type Unpack = (content: Uint8Array) => Promise<Uint8Array>;

async function collect(chunks: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) parts.push(Buffer.from(next.value));
  return Buffer.concat(parts);
}

async function readAll(bytes: Bytes): Promise<Buffer> {
  const reader = bytes.open();
  const parts: Buffer[] = [];
  for (;;) {
    const part = Buffer.alloc(1000);
    const count = await reader.read(part);
    parts.push(part.subarray(0, count));
    if (count < part.length) return Buffer.concat(parts);
  }
}

const unzip =
  (unpackers: Unpackers): Unpack =>
  async (content) => {
    const file = seekable(blobBytes(new Blob([new Uint8Array(content)]), 'test'));
    if (!file) throw new Error('a Blob has a size');
    const parts: Buffer[] = [];
    for (const member of await readZip(file)) {
      const bytes = { ...(await arrayBytes(file, member, unpackers)), size: member.size };
      parts.push(await readAll(checkedBytes(bytes, () => startMemberCheck(member, 'test', unpackers))));
    }
    return Buffer.concat(parts);
  };

const stream =
  (kind: 'gzip' | 'zstd', unpackers: Unpackers): Unpack =>
  (content) =>
    collect(unpackers[kind](memoryFile(content).open(), 'test', 2 ** 26));

const text = Buffer.from(
  `x,y,label\n${Array.from({ length: 9000 }, (_, i) => `${(i * 7) % 13},${Math.sin(i).toFixed(4)},${'abc'[i % 3]}`).join('\n')}\n`,
);

/** Bytes of a small file. */
const SMALL = 2000;

/** An LZ4 frame is part of an Arrow file, which says its size. */
const unpackFrame: Unpack = async (content) => {
  try {
    return unpackLz4(content, text.length);
  } catch {
    return unpackLz4(content, SMALL);
  }
};

/** Sound files, packed by Python or Node. */
function packedFiles(kind: string): Buffer[] {
  const small = text.subarray(0, SMALL);
  if (kind === 'gzip')
    return [gzipSync(small), Buffer.concat([gzipSync(small), gzipSync('5,6\n')]), gzipSync(small, { level: 0 })];
  if (kind === 'zip') {
    const members = ['a', 'b'].map((name, i) => ({ name: `${name}.npy`, content: small, packed: i === 0 }));
    return [zipFile(members), zipFile(members.slice(0, 1))];
  }
  return [small, text].flatMap((content, size) => {
    const path = join(folder, `${kind}-${size}`);
    writeFileSync(path, content);
    const count = Number(runPython(python ?? '', PACK, kind, path));
    return Array.from({ length: count }, (_, i) => readFileSync(`${path}.${i}`));
  });
}

/** Damages a copy of a file in one to three places. */
function damage(file: Buffer, random: Random): Buffer {
  let bytes = Buffer.from(file);
  for (let left = 1 + random.below(3); left > 0; left--) {
    // Half of the changes are near the beginning or the end, where headers and checksums are.
    const near = random.below(Math.min(32, bytes.length));
    const at = random.pick([near, bytes.length - 1 - near, random.below(bytes.length), random.below(bytes.length)]);
    const change = random.below(6);
    if (change === 0) bytes = bytes.subarray(0, at + 1);
    else if (change === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(4))]);
    else if (change === 2)
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(1, random.below(256)), bytes.subarray(at)]);
    else if (change === 3) bytes = Buffer.concat([bytes, random.pick([file, Buffer.alloc(20), Buffer.from('1,2\n')])]);
    else if (change === 4) bytes[at] = random.pick([0, 1, 127, 128, 255]);
    else bytes[at] ^= 1 << random.below(8);
    if (bytes.length === 0) return Buffer.from([0]);
  }
  return bytes;
}

const digest = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex');

/** The digest of the unpacked bytes. null if the file is refused. */
async function outcomeOf(unpack: Unpack, file: Uint8Array): Promise<string | null> {
  try {
    return digest(await unpack(file));
  } catch {
    return null;
  }
}

describe.skipIf(python === undefined)('as independent programs unpack them', () => {
  const KINDS: [string, Record<string, Unpack>][] = [
    ['gzip', { portable: stream('gzip', plainPlatform.unpack), node: stream('gzip', nodeUnpackers) }],
    ['zip', { portable: unzip(plainPlatform.unpack), node: unzip(nodeUnpackers) }],
    ['zstd', { portable: stream('zstd', plainPlatform.unpack) }],
    ['lz4', { arrow: unpackFrame }],
  ];

  it.each(KINDS)(
    '%s files are unpacked or refused',
    async (kind, unpackers) => {
      const random = new Random(SEED);
      const sound = packedFiles(kind);
      const files = [...sound];
      while (files.length < COUNT) files.push(damage(random.pick(sound), random));
      const place = join(folder, kind);
      mkdirSync(place);
      for (const [i, file] of files.entries()) writeFileSync(join(place, String(i)), file);
      const expected = runPython(python ?? '', ORACLE, place, kind, String(files.length)) as string[];
      expect(expected.slice(0, sound.length).filter((outcome) => outcome.startsWith('refused'))).toEqual([]);
      let accepted = 0;
      const disagreements: object[] = [];
      for (const [i, file] of files.entries()) {
        for (const [name, unpack] of Object.entries(unpackers)) {
          const outcome = await outcomeOf(unpack, file);
          if (outcome !== null) accepted++;
          if (i < sound.length ? outcome !== expected[i] : ![null, expected[i]].includes(outcome))
            disagreements.push({ name, i, oracle: expected[i], file: file.length < 3000 && file.toString('base64') });
        }
      }
      expect({ seed: SEED, disagreements }).toEqual({ seed: SEED, disagreements: [] });
      expect(accepted).toBeGreaterThan(sound.length);
    },
    600_000,
  );
});
