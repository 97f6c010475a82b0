import type { FileHandle } from 'node:fs/promises';
import { realpath, stat } from 'node:fs/promises';
import type { Warning } from '@scree/core';
import type { FileFormat } from '@scree/files';
import { systemError } from './system-error.js';

/** Properties of a file that differ after it was changed or replaced. */
export interface FileState {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** Files next to a database that contain its newest changes. */
const LOGS: Partial<Record<FileFormat, readonly string[]>> = { duckdb: ['.wal'] };
/** Formats whose readers detect changes themselves, and then stop reading. */
const SELF_WATCHED: readonly FileFormat[] = ['sqlite'];

/**
 * Detects if a file was changed since it was opened, by its size and modification time. If a file is replaced by a rename, readers that
 * keep it open still read the old file, but readers that open its path again read the new one.
 */
export class FileWatch {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #before: FileState;
  #byPath = false;
  #silent = false;
  #logs: ReadonlyMap<string, FileState | undefined> = new Map();

  private constructor(handle: FileHandle, path: string, before: FileState) {
    this.#handle = handle;
    this.#path = path;
    this.#before = before;
  }

  static async start(handle: FileHandle, path: string): Promise<FileWatch> {
    return new FileWatch(handle, path, await fileState(handle, path));
  }

  /** Sets how the file is read. With `byPath` its path is opened again for every pass, so it must still name the same file. */
  async follow(format: FileFormat, byPath: boolean): Promise<void> {
    this.#byPath = byPath;
    this.#silent = SELF_WATCHED.includes(format);
    // If the path is a link, the log is next to the file that it leads to.
    const real = await realpath(this.#path).catch(() => this.#path);
    const logs = (LOGS[format] ?? []).map((end) => real + end);
    this.#logs = new Map(await Promise.all(logs.map(async (log) => [log, await stateAt(log)] as const)));
  }

  /** A warning if the file was changed. Called after the last row was read, and before the file is closed. */
  async warnings(): Promise<readonly Warning[]> {
    const what = this.#silent ? undefined : await this.change();
    if (what === undefined) return [];
    return [changedWarning(what, this.#path)];
  }

  /** Describes the change of the file since it was opened: a sentence without a full stop. Undefined if it was not changed. */
  async change(): Promise<string | undefined> {
    const { size } = this.#before;
    const path = this.#path;
    const now = await fileState(this.#handle, path);
    if (now.size !== size) return `${path} was changed while it was read: it had ${size} bytes and has ${now.size} now`;
    if (now.mtimeNs !== this.#before.mtimeNs) return `${path} was written to while it was read`;
    if (this.#byPath) {
      const there = await stateAt(path);
      if (!there) return `${path} was deleted or renamed while it was read`;
      if (!same(there, this.#before)) return `${path} was replaced by another file while it was read`;
    }
    for (const [log, before] of this.#logs) {
      if (!same(await stateAt(log), before)) return `${path} was changed while it was read, as ${log} says`;
    }
    return undefined;
  }
}

/** A warning if one of several files, which were opened by their paths, was changed. */
export async function changedFiles(before: ReadonlyMap<string, FileState>): Promise<readonly Warning[]> {
  for (const [path, state] of before) {
    const now = await stateAt(path);
    if (!now) return [changedWarning(`${path} was deleted or renamed while it was read`, path)];
    if (!same(now, state)) return [changedWarning(`${path} was changed or replaced while it was read`, path)];
  }
  return [];
}

function changedWarning(what: string, path: string): Warning {
  return {
    code: 'SOURCE_CHANGED',
    message: `${what}. The rows that were read may be from before and after that. Run it again when nothing writes to the file, or use a copy of it.`,
    details: { path },
  };
}

function same(a: FileState | undefined, b: FileState | undefined): boolean {
  if (!a || !b) return a === b;
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

export function fileState(handle: FileHandle, path: string): Promise<FileState> {
  return handle.stat({ bigint: true }).catch((error: unknown) => {
    throw systemError(error, path, 'read');
  });
}

async function stateAt(path: string): Promise<FileState | undefined> {
  return stat(path, { bigint: true }).catch(() => undefined);
}
