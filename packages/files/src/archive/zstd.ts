import type { ByteReader } from '../bytes/bytes.js';
import { showBytes } from '../bytes/show-bytes.js';
import { badFile, FileError, truncated, unsupported } from '../file-error.js';
import { InputWindow } from './input-window.js';
import {
  acquireDecoder,
  compileZstd,
  releaseDecoder,
  type Step,
  type ZstdDecoder,
  ZstdUnavailable,
} from './zstd-decoder.js';

/**
 * Unpacks zstd (RFC 8878): frames one after the other, and skippable frames between them. This module reads the frames' headers,
 * so that no frame gets more memory than it may have; the reference decoder does the rest, and verifies sizes and checksums.
 */

const MAGIC = 0xfd2fb528;
/** The last four bits of the mark of a skippable frame are free. */
const SKIPPABLE = 0x184d2a50;
/** Bytes of a mark and the longest header. */
const LONGEST_HEADER = 4 + 14;

/** The window that every decoder should allow, and the largest that zstd's own programs allow. */
const [LEAST_WINDOW, MOST_WINDOW] = [2 ** 23, 2 ** 27];

/** Unpacks a file as it is read. `memory` bounds the window; a chunk is valid until the next is requested. */
export async function* unzstd(
  reader: ByteReader,
  path: string,
  memory: number,
): AsyncGenerator<Uint8Array, void, void> {
  const input = new InputWindow(reader, path);
  let decoder: ZstdDecoder | undefined;
  try {
    decoder = acquireDecoder(await compileZstd());
    const frames = new Frames(decoder, path, Math.min(MOST_WINDOW, Math.max(LEAST_WINDOW, Math.floor(memory / 4))));
    for (;;) {
      await input.view(LONGEST_HEADER);
      if (input.at === input.end && frames.complete) break;
      const { read, unpacked } = frames.step(input.bytes.subarray(input.at, input.end));
      if (read + unpacked.length === 0) throw truncated(path, 'its packed data end early');
      input.at += read;
      if (unpacked.length > 0) yield unpacked;
    }
  } catch (error) {
    if (error instanceof ZstdUnavailable)
      throw unsupported(path, `is packed with zstd: ${error.message}`, 'Unpack it with zstd -d first.');
    if (!(error instanceof RangeError)) throw error;
    throw badFile(path, `it does not unpack (${error.message})`);
  } finally {
    if (decoder) releaseDecoder(decoder);
    await reader.close();
  }
}

/** Unpacks a piece that must unpack to `size` bytes. Throws if it unpacks to anything else. */
export async function unpackZstd(packed: Uint8Array, size: number): Promise<Uint8Array> {
  const module = await compileZstd();
  // Nothing is awaited from here on, so that pieces take turns with one decoder.
  const decoder = acquireDecoder(module);
  try {
    return unpackWhole(new Frames(decoder, 'it', MOST_WINDOW), packed, size);
  } finally {
    releaseDecoder(decoder);
  }
}

function unpackWhole(frames: Frames, packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let filled = 0;
  for (let at = 0; at < packed.length || !frames.complete; ) {
    const { read, unpacked } = frames.step(packed.subarray(at));
    if (read + unpacked.length === 0) throw new RangeError('it is cut off');
    if (unpacked.length > size - filled) throw new RangeError(`more than ${size} bytes`);
    out.set(unpacked, filled);
    filled += unpacked.length;
    at += read;
  }
  if (filled !== size) throw new RangeError(`${filled} bytes instead of ${size}`);
  return out;
}

const NOTHING = new Uint8Array(0);
const STUCK = { read: 0, unpacked: NOTHING };

/** A walk over frames. */
class Frames {
  readonly #decoder: ZstdDecoder;
  readonly #path: string;
  readonly #largestWindow: number;
  /** The frame that is being unpacked. */
  #frame: FrameHeader | undefined;
  /** Bytes that are left of a skippable frame. */
  #skipped = 0;
  #count = 0;

  constructor(decoder: ZstdDecoder, path: string, largestWindow: number) {
    this.#decoder = decoder;
    this.#path = path;
    this.#largestWindow = largestWindow;
  }

  /** True if the packed data may end here. */
  get complete(): boolean {
    return this.#count > 0 && this.#frame === undefined && this.#skipped === 0;
  }

  /**
   * Takes the next step. `bytes` begins at the first byte that was not read, and holds at least LONGEST_HEADER bytes or all that
   * are left. A step that reads and unpacks nothing needs more bytes. Throws a RangeError if the data are damaged.
   */
  step(bytes: Uint8Array): Omit<Step, 'done'> {
    if (this.#skipped > 0) {
      const read = Math.min(this.#skipped, bytes.length);
      this.#skipped -= read;
      return { read, unpacked: NOTHING };
    }
    if (!this.#frame) {
      if (bytes.length < 4) return STUCK;
      const mark = uint32(bytes, 0);
      if ((mark & ~15) >>> 0 === SKIPPABLE) {
        if (bytes.length < 8) return STUCK;
        this.#count++;
        this.#skipped = uint32(bytes, 4);
        return { read: 8, unpacked: NOTHING };
      }
      if (mark !== MAGIC) throw new RangeError('something that is not zstd follows its packed data');
      this.#frame = readHeader(bytes);
      if (this.#frame.window > this.#largestWindow) throw windowTooLarge(this.#path, this.#largestWindow);
    }
    const step = this.#decoderStep(bytes, this.#frame);
    if (step.done) {
      this.#count++;
      this.#frame = undefined;
    }
    return step;
  }

  #decoderStep(bytes: Uint8Array, { size }: FrameHeader): Step {
    try {
      return this.#decoder.step(bytes);
    } catch (error) {
      if (!(error instanceof RangeError) || size === undefined) throw error;
      throw new RangeError(`${error.message}, or a frame that claims ${size} bytes holds another number`);
    }
  }
}

interface FrameHeader {
  /** Unpacked bytes that blocks may refer back to. The decoder keeps them in memory. */
  readonly window: number;
  /** Bytes of the unpacked frame; undefined if the frame does not say. */
  readonly size: number | undefined;
}

/** Reads a mark and the frame's header. Bytes that are missing count as 0: the decoder finds that they are missing. */
function readHeader(bytes: Uint8Array): FrameHeader {
  let at = 5;
  const number = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i++) value += (bytes[at + i] ?? 0) * 2 ** (8 * i);
    at += count;
    return value;
  };
  const flags = bytes[4];
  const single = (flags & 32) !== 0;
  const exponent = single ? 0 : number(1);
  const dictionary = number([0, 1, 2, 4][flags & 3]);
  if (dictionary !== 0) throw new RangeError('it needs a dictionary, which scree does not read');
  const sizeBytes = flags >> 6 === 0 ? Number(single) : 1 << (flags >> 6);
  const size = sizeBytes === 0 ? undefined : number(sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  const window = 2 ** (10 + (exponent >> 3)) * (1 + (exponent & 7) / 8);
  return { window: single ? (size ?? 0) : window, size };
}

function windowTooLarge(path: string, largest: number): FileError {
  return new FileError(
    'TOO_LARGE',
    path,
    `${path} needs a window of more than ${showBytes(largest)} to be unpacked. Allow more memory, or pack it again with zstd -19 or less and without --long.`,
  );
}

function uint32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}
