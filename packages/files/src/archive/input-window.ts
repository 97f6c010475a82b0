import type { ByteReader } from '../bytes/bytes.js';
import { truncated } from '../file-error.js';

/** Bytes read from a file at once. */
const CHUNK = 1 << 16;

/** A window that moves over packed bytes; `bytes[at]` to `bytes[end − 1]` are in view. */
export class InputWindow {
  readonly path: string;
  bytes: Uint8Array;
  at = 0;
  end = 0;
  /** True if the input ends with the bytes in view. */
  last = false;
  readonly #reader: ByteReader;

  constructor(reader: ByteReader, path: string, size = CHUNK) {
    this.#reader = reader;
    this.path = path;
    this.bytes = new Uint8Array(size);
  }

  /** Brings `count` bytes into view, or all bytes that are left. */
  async view(count: number): Promise<void> {
    if (this.end - this.at >= count || this.last) return;
    this.bytes.copyWithin(0, this.at, this.end);
    this.end -= this.at;
    this.at = 0;
    const room = this.bytes.subarray(this.end);
    const got = await this.#reader.read(room);
    this.end += got;
    if (got < room.length) this.last = true;
  }

  /** Skips `count` bytes and returns their position. Throws if the input ends before. */
  async take(count: number): Promise<number> {
    await this.view(count);
    if (this.end - this.at < count) throw truncated(this.path, 'its packed data end early');
    const start = this.at;
    this.at += count;
    return start;
  }
}
