import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from './error-code.js';
import { closeRead } from './file-bytes.js';
import { targetOf } from './output-target.js';
import { PROCESS_ID, PROCESS_ID_PATTERN, processState } from './process-id.js';
import { systemError } from './system-error.js';
import { removeAtExit, settled } from './temporary-files.js';

/** Bytes that are buffered before they are written. */
const CHUNK = 4 << 20;

/** Writes a whole file. Afterwards it is complete and on the disk, or the old file is unchanged. */
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

/** Removes a file and the temporary files that killed processes left for it. It stays removed after a power failure. */
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
 * A file that is written piece by piece under a temporary name. It gets its name when it is complete, so no program ever sees half
 * of it. Bytes are buffered, and a buffer is written while the next is filled. After an error nothing is left behind.
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

  /** Adds bytes. They are copied, so the caller may reuse its buffer. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const some = bytes.subarray(from, from + CHUNK - this.#filled);
      this.#filling.set(some, this.#filled);
      this.#filled += some.length;
      from += some.length;
      if (this.#filled === CHUNK) await this.#flush();
    }
  }

  /** Flushes the buffer, then overwrites bytes at an earlier position. */
  async rewrite(bytes: Uint8Array, position: number): Promise<void> {
    await this.#flush();
    await this.#written();
    await this.#try(() => writeAll(this.#part.handle, bytes, position));
  }

  /** Completes the file and gives it its name. */
  async close(): Promise<void> {
    await this.#flush();
    await this.#written();
    await this.#part.finish();
    await this.#part.replace();
  }

  /** Removes the temporary file. */
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
 * contains the id of the process, and the next process that writes the same target removes the files of killed ones.
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

  /** Runs `work`, and removes the file if it fails. */
  async try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.discard();
      throw systemError(error, this.#path, 'written');
    }
  }

  /** Flushes the file to the disk. Otherwise a power failure could leave an empty file under the new name. */
  finish(): Promise<void> {
    return this.try(async () => {
      await this.handle.sync();
      this.#state = 'finished';
      await this.handle.close();
    });
  }

  /** Renames the file to the target. */
  replace(): Promise<void> {
    return this.try(async () => {
      await renameOver(this.#part, this.#target);
      this.#state = 'gone';
      settled(this.#part);
      await syncFolder(dirname(this.#target));
    });
  }

  async discard(): Promise<void> {
    if (this.#state === 'gone') return;
    if (this.#state === 'open') await this.handle.close().catch(() => {});
    this.#state = 'gone';
    // If this fails, the file is removed at exit. The original error is the one to report.
    await rm(this.#part, { force: true }).then(
      () => settled(this.#part),
      () => {},
    );
  }
}

/**
 * Gives the new file the permissions of the one that it replaces, and its owner and group if this user may change them. If the group
 * cannot be kept, the new group gets no more rights than all users have. After an error only the owner has access.
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

/** Milliseconds between attempts to rename: about three seconds together. */
const PAUSES = [10, 20, 50, 100, 200, 400, 800, 1500];
/** Errors of Windows while a program, often a virus scanner or an indexer, has one of the files open. */
const IN_USE = ['EPERM', 'EACCES', 'EBUSY'];

/** Renames a file over another. Windows refuses that while either is open, so there it is tried again for a while. */
export async function renameOver(
  from: string,
  to: string,
  { move = rename, pauses = process.platform === 'win32' ? PAUSES : [] } = {},
): Promise<void> {
  for (const pause of pauses) {
    try {
      return await move(from, to);
    } catch (error) {
      if (!IN_USE.includes(errorCode(error) ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return move(from, to);
}

/** The name of a temporary file. It contains the id of the process that writes it. */
export function partName(target: string): string {
  return `${target}.${PROCESS_ID}-${randomBytes(4).toString('hex')}.part`;
}

/** Removes temporary files of the same target whose process has ended. Files of other machines and containers stay, because their processes may still run. */
export async function removeAbandonedParts(target: string): Promise<void> {
  const folder = dirname(target);
  const start = `${basename(target)}.`;
  const rest = new RegExp(`^(${PROCESS_ID_PATTERN})-[0-9a-f]{8}\\.part$`);
  try {
    for await (const { name } of await opendir(folder)) {
      const [, writer] = (name.startsWith(start) && rest.exec(name.slice(start.length))) || [];
      if (writer !== undefined && processState(writer) === 'ended') await rm(join(folder, name), { force: true });
    }
  } catch {
    // The folder cannot be listed, or the file belongs to another user. Leaving it does no harm.
  }
}

/** Errors of systems that cannot flush folders: Windows, and some network disks. */
const NO_SYNC = ['EINVAL', 'ENOTSUP', 'EPERM', 'EACCES', 'EISDIR', 'EBADF', 'ENOENT'];

/** Makes a rename or a removal permanent: the entries of a folder must be flushed to the disk like the content of a file. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (!NO_SYNC.includes(errorCode(error) ?? '')) throw error;
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
