import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { removeAtExit, settled } from './leftovers.js';
import { systemError } from './system-error.js';
import { targetOf } from './target.js';

/** Bytes gathered before they are written. */
const CHUNK = 4 << 20;

/**
 * A file that is written beside its target and takes its name when it is whole: nobody ever sees half of it. Bytes are
 * gathered, and written while the next are being gathered. Whatever goes wrong, nothing is left behind.
 */
export class BesideFile {
  readonly #path: string;
  readonly #target: string;
  readonly #beside: string;
  readonly #handle: FileHandle;
  #filling = new Uint8Array(CHUNK);
  #writing = new Uint8Array(CHUNK);
  #filled = 0;
  #under: Promise<void> = Promise.resolve();
  #open = true;

  static async create(path: string): Promise<BesideFile> {
    // Beside the target, so that the rename stays on one disk and is a single step.
    const target = await targetOf(path);
    const beside = `${target}.${randomUUID()}.part`;
    removeAtExit(beside);
    try {
      return new BesideFile({ path, target, beside }, await open(beside, 'wx'));
    } catch (error) {
      settled(beside);
      throw systemError(error, path, 'written');
    }
  }

  private constructor(
    { path, target, beside }: { readonly path: string; readonly target: string; readonly beside: string },
    handle: FileHandle,
  ) {
    this.#path = path;
    this.#target = target;
    this.#beside = beside;
    this.#handle = handle;
  }

  /** Adds bytes; they are copied, so the caller may use its buffer again. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + CHUNK - this.#filled);
      this.#filling.set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
      if (this.#filled === CHUNK) await this.#flush();
    }
  }

  /** Writes what was gathered, then `bytes` at a place that was written before. */
  async rewrite(bytes: Uint8Array, position: number): Promise<void> {
    await this.#flush();
    await this.#settled();
    await this.#try(() => writeAll(this.#handle, bytes, position));
  }

  /** Ends the file and gives it its name. */
  async close(): Promise<void> {
    await this.#flush();
    await this.#settled();
    this.#open = false;
    try {
      await this.#handle.close();
      await rename(this.#beside, this.#target);
    } catch (error) {
      await rm(this.#beside, { force: true });
      throw systemError(error, this.#path, 'written');
    } finally {
      settled(this.#beside);
    }
  }

  /** Gives up: what was written is removed. */
  async abort(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#under.catch(() => {});
    await this.#handle.close().catch(() => {});
    await rm(this.#beside, { force: true });
    settled(this.#beside);
  }

  async #flush(): Promise<void> {
    await this.#settled();
    const bytes = this.#filling.subarray(0, this.#filled);
    [this.#filling, this.#writing] = [this.#writing, this.#filling];
    this.#filled = 0;
    this.#under = writeAll(this.#handle, bytes, null);
    // Heard when the next is written, or at the end.
    this.#under.catch(() => {});
  }

  #settled(): Promise<void> {
    return this.#try(() => this.#under);
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.abort();
      throw systemError(error, this.#path, 'written');
    }
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number | null): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const { bytesWritten } = await handle.write(
      bytes,
      from,
      bytes.length - from,
      position === null ? null : position + from,
    );
    from += bytesWritten;
  }
}
