import type { SeekableBytes } from '../archive/zip.js';
import type { BufferPool } from '../bytes/buffer-pool.js';
import { showBytes } from '../bytes/show-bytes.js';
import { FileError, truncated } from '../file-error.js';
import { type PageTools, type PageUnpacker, unpackerOf } from './codecs.js';
import type { ChunkPlace } from './footer.js';
import { type PageHeader, readPageHeader } from './page-header.js';

/** Bytes of a page's own header, at most. */
const LONGEST_HEADER = 1 << 16;
/** Bytes in which the header of most pages is. */
const USUAL_HEADER = 1 << 10;

/** Kibibytes that all columns together keep, and may keep. Threads share the counter. */
export interface PageBudget {
  readonly kept: Int32Array;
  readonly most: number;
}

export function pageBudget(bytes: number, shared = false): PageBudget {
  const buffer = shared ? new SharedArrayBuffer(4) : new ArrayBuffer(4);
  return { kept: new Int32Array(buffer), most: Math.floor(bytes / 1024) };
}

/** What one column keeps of the budget. */
export class Share {
  readonly #path: string;
  readonly #budget: PageBudget;
  #kept = 0;

  constructor(path: string, budget: PageBudget) {
    this.#path = path;
    this.#budget = budget;
  }

  /** Counts what is kept from now on in place of what was kept. Throws if it is more than all columns may keep together. */
  set(bytes: number): void {
    const { kept, most } = this.#budget;
    const wanted = Math.ceil(bytes / 1024);
    if (wanted === this.#kept) return;
    const change = wanted - this.#kept;
    // Beyond what the counter holds: too large in any case.
    if (wanted <= most && Atomics.add(kept, 0, change) + change <= most) {
      this.#kept = wanted;
      return;
    }
    if (wanted <= most) Atomics.sub(kept, 0, change);
    throw new FileError(
      'TOO_LARGE',
      this.#path,
      `Pages of ${this.#path} take more than ${showBytes(1024 * most)} at once. Allow more memory, choose fewer columns, or write smaller pages.`,
    );
  }
}

/** Bytes of a page before and after unpacking. The columns of a reading are decoded one after the other, and share them. */
export class Scratch {
  readonly #share: Share;
  readonly #pool: BufferPool;
  #buffers = [new Uint8Array(0), new Uint8Array(0)];

  constructor(share: Share, pool: BufferPool) {
    this.#share = share;
    this.#pool = pool;
  }

  /** Gives the memory back to the pool. */
  release(): void {
    this.#pool.give(...this.#buffers.map(({ buffer }) => buffer));
    this.#buffers = [new Uint8Array(0), new Uint8Array(0)];
  }

  packed(count: number): Uint8Array {
    return this.#take(0, count);
  }

  unpacked(count: number): Uint8Array {
    return this.#take(1, count);
  }

  #take(which: 0 | 1, count: number): Uint8Array {
    if (this.#buffers[which].length < count) {
      this.#share.set(this.#buffers[1 - which].length + count);
      this.#pool.give(this.#buffers[which].buffer);
      this.#buffers[which] = new Uint8Array(this.#pool.take(count) as ArrayBuffer);
    }
    return this.#buffers[which].subarray(0, count);
  }
}

/** A page whose checksum was verified. Its bytes are valid until the next page of any column is read. */
export interface Page {
  readonly header: PageHeader;
  /** Levels of a page of version 2, which are never packed. */
  readonly levels: Uint8Array;
  /** Everything else, unpacked. */
  readonly body: Uint8Array;
}

export interface PageOptions {
  /** Bytes that are read at once, at least. */
  readonly window: number;
  readonly tools: PageTools;
  readonly scratch: Scratch;
}

/** The pages of a column in one row group after the other. */
export class PageReader {
  readonly #file: SeekableBytes;
  readonly #options: PageOptions;
  /** Bytes that were read ahead, and how many of them were used. */
  #window = new Uint8Array(0);
  #from = 0;
  #to = 0;
  #position = 0;
  #end = 0;
  #unpack: PageUnpacker | undefined;

  constructor(file: SeekableBytes, options: PageOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Begins with the chunk of a row group. */
  open({ start, end, codec }: ChunkPlace): void {
    this.#position = start;
    this.#end = end;
    this.#from = 0;
    this.#to = 0;
    this.#unpack = unpackerOf(codec, this.#options.tools, this.#file.path);
  }

  /** Reads what the next page begins with, so that many columns can wait for the disk together. */
  async prefetch(): Promise<void> {
    if (this.#from === this.#to) await this.#fill(1);
  }

  /** The next page. Throws if the chunk ends. */
  async next(): Promise<Page> {
    const { path } = this.#file;
    const { header, length } = await this.#readHeader();
    const { packed } = header;
    if (packed > this.#end - this.#position - length) throw truncated(path, 'a page goes beyond its column');
    this.#skip(length);
    const bytes = await this.#take(packed);
    if (header.crc !== undefined && this.#options.tools.crc32(bytes, 0) !== header.crc)
      throw new RangeError('the checksum of a page says that it was changed or damaged');
    const levels = bytes.subarray(0, header.levels.definition + header.levels.repetition);
    const rest = bytes.subarray(levels.length);
    const size = header.size - levels.length;
    if (!this.#unpack || !header.isPacked) {
      if (rest.length !== size) throw new RangeError('a page says two sizes');
      return { header, levels, body: rest };
    }
    // Nothing packed stands for no values: not every codec can read that.
    if (rest.length === 0 && size === 0) return { header, levels, body: rest };
    const unpacking = this.#unpack(rest, this.#options.scratch.unpacked(size));
    const body = unpacking instanceof Uint8Array ? unpacking : await unpacking;
    if (body.length !== size) throw new RangeError(`a page unpacks to ${body.length} bytes instead of ${size}`);
    // Node's own byte arrays have a `slice` that makes no copy.
    return { header, levels, body: new Uint8Array(body.buffer, body.byteOffset, size) };
  }

  async #readHeader(): Promise<ReturnType<typeof readPageHeader>> {
    for (let length = USUAL_HEADER; ; length *= 8) {
      await this.#fill(length);
      const there = this.#window.subarray(this.#from, Math.min(this.#to, this.#from + LONGEST_HEADER));
      if (there.length === 0)
        throw truncated(this.#file.path, 'the pages of a column hold fewer values than its footer says');
      try {
        return readPageHeader(there);
      } catch (error) {
        if (!(error instanceof RangeError) || there.length < length || length >= LONGEST_HEADER) throw error;
      }
    }
  }

  /** The next bytes of the chunk: a part of the window, or a copy of more than it holds. */
  async #take(count: number): Promise<Uint8Array> {
    if (count > this.#to - this.#from && count > this.#options.window) {
      const bytes = this.#options.scratch.packed(count);
      const some = this.#to - this.#from;
      bytes.set(this.#window.subarray(this.#from, this.#to));
      await this.#readAt(bytes.subarray(some), this.#position + some);
      this.#from = this.#to;
      this.#position += count;
      return bytes;
    }
    await this.#fill(count);
    const bytes = this.#window.subarray(this.#from, this.#from + count);
    this.#skip(count);
    return bytes;
  }

  /** Makes sure that the window holds so many bytes of the chunk, or all that are left. */
  async #fill(count: number): Promise<void> {
    const left = this.#end - this.#position;
    const held = this.#to - this.#from;
    if (held >= Math.min(count, left)) return;
    const wanted = Math.min(left, Math.max(count, this.#options.window));
    if (this.#window.length < wanted) {
      const larger = new Uint8Array(Math.min(Math.max(wanted, this.#options.window), Math.max(wanted, left)));
      larger.set(this.#window.subarray(this.#from, this.#to));
      this.#window = larger;
    } else this.#window.copyWithin(0, this.#from, this.#to);
    this.#from = 0;
    this.#to = wanted;
    await this.#readAt(this.#window.subarray(held, wanted), this.#position + held);
  }

  async #readAt(into: Uint8Array, position: number): Promise<void> {
    const got = await this.#file.readAt(into, position);
    if (got < into.length) throw truncated(this.#file.path, 'it became shorter while it was read');
  }

  #skip(count: number): void {
    this.#from += count;
    this.#position += count;
  }
}
