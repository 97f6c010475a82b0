import { crc32 } from '@scree/core/data';
import { badFile, truncated } from '../file-error.js';
import { inflate } from './inflate.js';
import type { InputWindow } from './input-window.js';

const [HEADER_SUM, EXTRA, NAME, COMMENT, RESERVED] = [2, 4, 8, 16, 0xe0];

/**
 * Unpacks a gzip file (RFC 1952): one member after the other, as `cat a.gz b.gz` and bgzip write them. Verifies checksums.
 * Only zeros, which tapes add, may follow the last member: anything else may have been rows.
 */
export async function* gunzip(input: InputWindow): AsyncGenerator<Uint8Array, void, void> {
  for (let member = 0; await atMember(input, member); member++) {
    await skipHeader(input);
    let [sum, size] = [0, 0];
    for await (const chunk of inflate(input)) {
      sum = crc32(chunk, sum);
      size = (size + chunk.length) % 2 ** 32;
      yield chunk;
    }
    const at = await input.take(8);
    const trailer = new DataView(input.bytes.buffer, input.bytes.byteOffset + at, 8);
    if (trailer.getUint32(0, true) !== sum || trailer.getUint32(4, true) !== size)
      throw badFile(input.path, 'it does not unpack (its checksum says that it was changed or damaged)');
  }
}

/** Returns true if another member begins. Throws if the first does not. */
async function atMember(input: InputWindow, member: number): Promise<boolean> {
  for (let zeros = 0; ; zeros++) {
    await input.view(2);
    const left = input.end - input.at;
    if (left === 0) {
      if (member === 0) throw truncated(input.path, 'its packed data end early');
      return false;
    }
    const [first, second] = [input.bytes[input.at], left > 1 ? input.bytes[input.at + 1] : 0x8b];
    if (zeros === 0 && first === 0x1f && second === 0x8b) return true;
    if (member === 0 || first !== 0)
      throw badFile(input.path, 'it does not unpack (something that is not gzip follows its packed data)');
    input.at++;
  }
}

async function skipHeader(input: InputWindow): Promise<void> {
  const at = await input.take(10);
  const [method, flags] = input.bytes.subarray(at + 2, at + 4);
  if (method !== 8 || flags & RESERVED) throw badFile(input.path, 'it does not unpack (an unknown kind of gzip)');
  if (flags & EXTRA) {
    const length = await input.take(2);
    const extra = input.bytes[length] | (input.bytes[length + 1] << 8);
    for (let left = extra; left > 0; left -= SOME) await input.take(Math.min(SOME, left));
  }
  if (flags & NAME) await skipText(input);
  if (flags & COMMENT) await skipText(input);
  if (flags & HEADER_SUM) await input.take(2);
}

/** Bytes skipped at once: fewer than a window holds. */
const SOME = 1 << 10;

/** Skips a text, which ends with a zero. */
async function skipText(input: InputWindow): Promise<void> {
  for (;;) if (input.bytes[await input.take(1)] === 0) return;
}
