import type { ByteReader } from '../bytes/bytes.js';
import { showBytes } from '../bytes/show-bytes.js';
import { badFile, FileError } from '../file-error.js';
import { InputWindow } from './input-window.js';
import { Xxh64 } from './xxh64.js';
import { BlockUnpacker, LARGEST_BLOCK } from './zstd-block.js';

/**
 * Unpacks zstd (RFC 8878): frames one after the other, and skippable frames between them. Sizes and checksums are
 * verified where a frame carries them. Libraries in plain JavaScript verify neither, and Node's own zstd (from 22.15 on)
 * reads only the first frame of a file.
 */

const MAGIC = 0xfd2fb528;
/** The last four bits of the mark of a skippable frame are free. */
const SKIPPABLE = 0x184d2a50;
const LONGEST_HEADER = 14;

/** The window that every decoder should allow, and the largest that zstd's own programs allow. */
const [LEAST_WINDOW, MOST_WINDOW] = [2 ** 23, 2 ** 27];

const [PLAIN, REPEATED, PACKED] = [0, 1, 2];

/** Bytes of the largest window that may be unpacked when reading may take so much memory. */
function largestWindow(memory: number): number {
  return Math.min(MOST_WINDOW, Math.max(LEAST_WINDOW, Math.floor(memory / 4)));
}

/** A frame needs more memory than reading may take. */
function windowTooLarge(path: string, largest: number): FileError {
  return new FileError(
    'TOO_LARGE',
    path,
    `${path} needs a window of more than ${showBytes(largest)} to be unpacked. Allow more memory, or pack it again with zstd -19 or less and without --long.`,
  );
}

interface FrameHeader {
  readonly window: number;
  /** Bytes it unpacks to; undefined when it does not say. */
  readonly size: number | undefined;
  readonly checksum: boolean;
  /** Bytes of the header. */
  readonly length: number;
}

/** Reads the header of a frame, behind its mark. `bytes` holds all of it, or all there is. */
function readHeader(bytes: Uint8Array): FrameHeader {
  const [flags] = bytes;
  const single = (flags & 32) !== 0;
  if ((flags & 8) !== 0) throw new RangeError('a frame of an unknown kind');
  const dictionary = [0, 1, 2, 4][flags & 3];
  const sizeBytes = flags >> 6 === 0 ? (single ? 1 : 0) : 1 << (flags >> 6);
  let at = 1;
  let window = 0;
  if (!single) {
    const base = 2 ** (10 + (bytes[at] >> 3));
    window = base + (base / 8) * (bytes[at] & 7);
    at++;
  }
  const number = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i++) value += (bytes[at + i] ?? 0) * 2 ** (8 * i);
    at += count;
    return value;
  };
  if (number(dictionary) !== 0) throw new RangeError('it needs a dictionary, which scree does not read');
  const size = sizeBytes === 0 ? undefined : number(sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  return { window: single ? (size ?? 0) : window, size, checksum: (flags & 4) !== 0, length: at };
}

/** A frame that is being unpacked, block by block. */
class Frame {
  readonly blocks: BlockUnpacker;
  readonly #header: FrameHeader;
  readonly #sum: Xxh64 | undefined;
  #size = 0;

  constructor(header: FrameHeader, out: Uint8Array, start: number) {
    this.#header = header;
    this.blocks = new BlockUnpacker(out, start, header.window);
    this.#sum = header.checksum ? new Xxh64() : undefined;
  }

  /** Unpacks a block, and returns its bytes, which are valid until the next. */
  block(kind: number, size: number, bytes: Uint8Array, from: number, to: number): Uint8Array {
    const { blocks } = this;
    const start = blocks.filled;
    if (kind === PLAIN) blocks.plain(bytes, from, to);
    else if (kind === REPEATED) blocks.repeated(bytes[from], size);
    else blocks.packed(bytes, from, to);
    const unpacked = blocks.out.subarray(start, blocks.filled);
    this.#size += unpacked.length;
    this.#sum?.update(unpacked);
    if (this.#size > (this.#header.size ?? Number.POSITIVE_INFINITY)) throw this.#wrongSize();
    return unpacked;
  }

  /** Bytes of the checksum behind the last block. */
  get trailer(): number {
    return this.#header.checksum ? 4 : 0;
  }

  end(bytes: Uint8Array, at: number): void {
    if (this.#header.size !== undefined && this.#size !== this.#header.size) throw this.#wrongSize();
    if (this.#sum && this.#sum.low32() !== uint32(bytes, at))
      throw new RangeError('its checksum says that it was changed or damaged');
  }

  #wrongSize(): RangeError {
    return new RangeError(`a frame that claims ${this.#header.size} bytes holds ${this.#size} or more`);
  }
}

/** The header of a block: whether it is the last, its kind, its size, and how many bytes it takes in the file. */
function readBlockHeader(bytes: Uint8Array, at: number): { last: boolean; kind: number; size: number; stored: number } {
  const header = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16);
  const [kind, size] = [(header >> 1) & 3, header >> 3];
  if (kind > PACKED || size > LARGEST_BLOCK) throw new RangeError('a block of an unknown kind or size');
  return { last: (header & 1) === 1, kind, size, stored: kind === REPEATED ? 1 : size };
}

/** Unpacks a file as it is read. `memory` bounds the window; a chunk is valid until the next is asked for. */
export async function* unzstd(
  reader: ByteReader,
  path: string,
  memory: number,
): AsyncGenerator<Uint8Array, void, void> {
  const input = new InputWindow(reader, path, 2 * LARGEST_BLOCK);
  try {
    for (let frames = 0; ; frames++) {
      await input.view(4);
      if (input.at === input.end && frames > 0) return;
      const mark = uint32(input.bytes, await input.take(4));
      if (mark === MAGIC) yield* unpackFrame(input, memory);
      else if ((mark & ~15) >>> 0 === SKIPPABLE) await skipFrame(input);
      else throw new RangeError('something that is not zstd follows its packed data');
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badFile(path, `it does not unpack (${error.message})`);
  } finally {
    await reader.close();
  }
}

async function skipFrame(input: InputWindow): Promise<void> {
  let left = uint32(input.bytes, await input.take(4));
  for (; left > 0; left -= Math.min(left, LARGEST_BLOCK)) await input.take(Math.min(left, LARGEST_BLOCK));
}

async function* unpackFrame(input: InputWindow, memory: number): AsyncGenerator<Uint8Array, void, void> {
  await input.view(LONGEST_HEADER);
  const header = readHeader(input.bytes.subarray(input.at, input.end));
  await input.take(header.length);
  const largest = largestWindow(memory);
  if (header.window > largest) throw windowTooLarge(input.path, largest);
  const frame = new Frame(header, new Uint8Array(2 * LARGEST_BLOCK), 0);
  for (let last = false; !last; ) {
    const block = readBlockHeader(input.bytes, await input.take(3));
    const from = await input.take(block.stored);
    makeRoom(frame.blocks, header.window);
    const unpacked = frame.block(block.kind, block.size, input.bytes, from, from + block.stored);
    if (unpacked.length > 0) yield unpacked;
    last = block.last;
  }
  frame.end(input.bytes, await input.take(frame.trailer));
}

/** Makes room for a block: the buffer grows with what was unpacked, never with what is claimed, and then moves on. */
function makeRoom(blocks: BlockUnpacker, window: number): void {
  const { out, filled } = blocks;
  if (out.length - filled >= LARGEST_BLOCK) return;
  const most = window + Math.max(2 * LARGEST_BLOCK, window >> 1);
  const kept = Math.min(filled, window);
  if (out.length < most) {
    blocks.out = new Uint8Array(Math.min(most, 2 * out.length));
    blocks.out.set(out.subarray(filled - kept, filled));
  } else out.copyWithin(0, filled - kept, filled);
  blocks.filled = kept;
  blocks.start = Math.max(0, blocks.start - (filled - kept));
}

/** Unpacks a piece that must unpack to so many bytes; anything else is an error. */
export function unpackZstd(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let [at, filled] = [0, 0];
  const take = (count: number): number => {
    if (at + count > packed.length) throw new RangeError('it is cut off');
    at += count;
    return at - count;
  };
  while (at < packed.length) {
    const mark = uint32(packed, take(4));
    if ((mark & ~15) >>> 0 === SKIPPABLE) {
      take(uint32(packed, take(4)));
      continue;
    }
    if (mark !== MAGIC) throw new RangeError('it is not zstd');
    const header = readHeader(packed.subarray(at));
    take(header.length);
    const frame = new Frame(header, out, filled);
    for (let last = false; !last; ) {
      const block = readBlockHeader(packed, take(3));
      const from = take(block.stored);
      frame.block(block.kind, block.size, packed, from, from + block.stored);
      last = block.last;
    }
    frame.end(packed, take(frame.trailer));
    filled = frame.blocks.filled;
  }
  if (filled !== size) throw new RangeError(`${filled} bytes instead of ${size}`);
  return out;
}

function uint32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}
