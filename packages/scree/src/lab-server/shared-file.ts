import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { DataError } from '@scree/core';
import { FileError } from '@scree/files';
import { systemError } from '../disk/system-error.js';
import type { Range } from './range.js';

/** Bytes that are read at a time. */
const CHUNK = 2 ** 20;

/** If a pipe has replaced the file, opening it must not wait for a writer. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The one data file that the page may read, as it was when the server started. */
export class SharedFile {
  /** The name without the folder, for the page. */
  readonly name: string;
  readonly size: number;
  readonly #path: string;
  readonly #stats: BigIntStats;

  private constructor(path: string, stats: BigIntStats) {
    this.#path = resolve(path);
    this.#stats = stats;
    this.size = Number(stats.size);
    // Lone surrogates, which Windows allows, cannot be encoded in UTF-8 or in an address.
    this.name = Buffer.from(basename(this.#path)).toString();
  }

  /** Checks that the file exists and can be read. */
  static async find(path: string): Promise<SharedFile> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, FLAGS);
      const stats = await handle.stat({ bigint: true });
      if (stats.isDirectory()) throw new FileError('BAD_FILE', path, `${path} is a folder. Name a file inside it.`);
      if (!stats.isFile()) {
        throw new FileError('BAD_FILE', path, `${path} is not a regular file. Write its data into one for the lab.`);
      }
      if (stats.size === 0n) throw new DataError('EMPTY_DATA', `${path} is empty.`);
      return new SharedFile(path, stats);
    } catch (error) {
      throw systemError(error, path, 'read');
    } finally {
      await handle?.close();
    }
  }

  /** The address of the file, relative to the page. */
  get address(): string {
    return `data/${encodeURIComponent(this.name)}`;
  }

  /** Opens the file again, or returns undefined if it has changed: ranges of two versions must not be mixed. */
  async open(): Promise<FileHandle | undefined> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(this.#path, FLAGS);
      if (await this.#isSame(handle)) return handle;
    } catch {
      // The file was removed, or may no longer be read.
    }
    await handle?.close();
    return undefined;
  }

  /** Reads a range. The last bytes are held back until it is certain that the file did not change in the meantime. */
  async *read(handle: FileHandle, { start, end }: Range): AsyncGenerator<Uint8Array, void, void> {
    for (let at = start; at < end; ) {
      const length = Math.min(CHUNK, end - at);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
      at += bytesRead;
      if (bytesRead === 0 || (at === end && !(await this.#isSame(handle)))) throw new Error('The file has changed.');
      yield buffer.subarray(0, bytesRead);
    }
  }

  async #isSame(handle: FileHandle): Promise<boolean> {
    const now = await handle.stat({ bigint: true });
    return (['dev', 'ino', 'size', 'mtimeNs'] as const).every((fact) => now[fact] === this.#stats[fact]);
  }
}
