import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { closeRead } from './file-bytes.js';
import { targetOf } from './output-target.js';
import { PROCESS_ID, PROCESS_ID_PATTERN, stateOf } from './process-id.js';
import { systemError } from './system-error.js';
import { removeAtExit, settled } from './temporary-files.js';

/** Bytes collected before they are written. */
const CHUNK = 4 << 20;

/** Writes a whole file: afterwards it is complete and on the disk, or what was there before is unchanged. */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  await writeAllAtomically([[path, content]]);
}

/** Writes several files. Nothing is replaced before all of them are complete and on the disk. */
export async function writeAllAtomically(
  files: Iterable<readonly [path: string, content: string | Uint8Array]>,
): Promise<void> {
  const parts: PartFile[] = [];
  try {
    for (const [path, content] of files) {
      const part = await PartFile.create(path);
      parts.push(part);
      await part.try(() => part.handle.writeFile(content));
      await part.finish();
    }
    for (const part of parts) await part.replace();
  } catch (error) {
    for (const part of parts) await part.discard();
    throw error;
  }
}

/** Removes a file that was written here, with what killed processes have left of it; it stays removed after a power failure. */
export async function removeFile(path: string): Promise<void> {
  const target = await targetOf(path);
  try {
    await rm(target, { force: true });
    await removeAbandonedParts(target);
    await syncFolder(dirname(target));
  } catch (error) {
    throw systemError(error, path, 'written');
  }
}

/**
 * A file that is written piece by piece. It gets its name when it is complete, so nobody ever sees half of it. Bytes are
 * collected, and written while the next are being collected. After an error nothing is left behind.
 */
export class AtomicFile {
  readonly #part: PartFile;
  #filling = new Uint8Array(CHUNK);
  #writing = new Uint8Array(CHUNK);
  #filled = 0;
  #pending: Promise<void> = Promise.resolve();

  static async create(path: string): Promise<AtomicFile> {
    return new AtomicFile(await PartFile.create(path));
  }

  private constructor(part: PartFile) {
    this.#part = part;
  }

  /** Adds bytes; they are copied, so the caller may use its buffer again. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const some = bytes.subarray(from, from + CHUNK - this.#filled);
      this.#filling.set(some, this.#filled);
      this.#filled += some.length;
      from += some.length;
      if (this.#filled === CHUNK) await this.#flush();
    }
  }

  /** Writes what was collected, then `bytes` at a position that was written before. */
  async rewrite(bytes: Uint8Array, position: number): Promise<void> {
    await this.#flush();
    await this.#written();
    await this.#try(() => writeAll(this.#part.handle, bytes, position));
  }

  /** Ends the file and gives it its name. */
  async close(): Promise<void> {
    await this.#flush();
    await this.#written();
    await this.#part.finish();
    await this.#part.replace();
  }

  /** Gives up: what was written is removed. */
  async abort(): Promise<void> {
    await this.#pending.catch(() => {});
    await this.#part.discard();
  }

  async #flush(): Promise<void> {
    await this.#written();
    const bytes = this.#filling.subarray(0, this.#filled);
    [this.#filling, this.#writing] = [this.#writing, this.#filling];
    this.#filled = 0;
    this.#pending = writeAll(this.#part.handle, bytes, null);
    // An error is reported by the next write, or at the end.
    this.#pending.catch(() => {});
  }

  #written(): Promise<void> {
    return this.#try(() => this.#pending);
  }

  async #try(work: () => Promise<void>): Promise<void> {
    await this.#part.try(work);
  }
}

/**
 * The temporary file next to its target: on the same disk, so that it takes the target's name in a single step. Its name
 * says which process writes it; what a killed process has left is removed by the next that writes the same target.
 */
class PartFile {
  readonly handle: FileHandle;
  readonly #path: string;
  readonly #target: string;
  readonly #part: string;
  #state: 'open' | 'finished' | 'gone' = 'open';

  static async create(path: string): Promise<PartFile> {
    const target = await targetOf(path);
    await removeAbandonedParts(target);
    const part = partName(target);
    const old = await stat(target).catch(() => undefined);
    removeAtExit(part);
    let handle: FileHandle;
    try {
      handle = await open(part, 'wx', old ? 0o600 : 0o666);
    } catch (error) {
      settled(part);
      throw systemError(error, path, 'written');
    }
    const file = new PartFile(handle, path, target, part);
    if (old) await file.try(() => keepPermissions(handle, old));
    return file;
  }

  private constructor(handle: FileHandle, path: string, target: string, part: string) {
    this.handle = handle;
    this.#path = path;
    this.#target = target;
    this.#part = part;
  }

  /** Does something with the file; after an error it is removed. */
  async try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.discard();
      throw systemError(error, this.#path, 'written');
    }
  }

  /** All of it is written: now it must reach the disk. Otherwise a power failure could leave an empty file under the new name. */
  finish(): Promise<void> {
    return this.try(async () => {
      await this.handle.sync();
      this.#state = 'finished';
      await this.handle.close();
    });
  }

  /** Takes the place of the target. */
  replace(): Promise<void> {
    return this.try(async () => {
      await rename(this.#part, this.#target);
      this.#state = 'gone';
      settled(this.#part);
      await syncFolder(dirname(this.#target));
    });
  }

  async discard(): Promise<void> {
    if (this.#state === 'gone') return;
    if (this.#state === 'open') await this.handle.close().catch(() => {});
    this.#state = 'gone';
    // If it cannot be removed now, it is removed at the exit. The error that led here is the one to report.
    await rm(this.#part, { force: true }).then(
      () => settled(this.#part),
      () => {},
    );
  }
}

/**
 * A file that replaces another keeps its permissions, and its owner and group where this user may give files away. Where
 * the group cannot be kept, the new group gets no more than everybody has. An error leaves the file to its owner alone.
 */
async function keepPermissions(handle: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const mine = await handle.stat();
  if (mine.uid !== uid || mine.gid !== gid) {
    await handle.chown(uid, gid).catch(() => handle.chown(mine.uid, gid).catch(() => {}));
  }
  const kept = (await handle.stat()).gid === gid;
  const permissions = mode & 0o777;
  await handle.chmod(kept ? permissions : permissions & ((permissions << 3) | 0o707)).catch(() => {});
}

/** The name of a temporary file: it says which process writes it. */
export function partName(target: string): string {
  return `${target}.${PROCESS_ID}-${randomBytes(4).toString('hex')}.part`;
}

/** Removes temporary files of the same target whose process has ended. Files of other machines and containers stay: they may be alive. */
export async function removeAbandonedParts(target: string): Promise<void> {
  const folder = dirname(target);
  const start = `${basename(target)}.`;
  const rest = new RegExp(`^(${PROCESS_ID_PATTERN})-[0-9a-f]{8}\\.part$`);
  try {
    for await (const { name } of await opendir(folder)) {
      const [, writer] = (name.startsWith(start) && rest.exec(name.slice(start.length))) || [];
      if (writer !== undefined && stateOf(writer) === 'ended') await rm(join(folder, name), { force: true });
    }
  } catch {
    // The folder cannot be listed, or the file belongs to another user: it was left before, and may be left again.
  }
}

/** What a folder cannot be synchronised with: Windows, and some network disks. */
const NO_SYNC = ['EINVAL', 'ENOTSUP', 'EPERM', 'EACCES', 'EISDIR', 'EBADF', 'ENOENT'];

/** Makes a rename or a removal last: the names of a folder have to reach the disk like the content of a file. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (!NO_SYNC.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await closeRead(handle);
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
