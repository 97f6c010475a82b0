import { constants } from 'node:fs';
import { access, copyFile, type FileHandle, open, realpath, stat, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DataError } from '@scree/core';
import { FileError } from '@scree/files';
import { unsupported } from '@scree/files/platform';
import { closeRead } from '../disk/file-bytes.js';
import { FileWatch } from '../disk/file-watch.js';
import { openRegularFile } from '../disk/regular-file.js';
import { systemError } from '../disk/system-error.js';
import { lockShared, type SharedLock } from './sqlite-lock.js';

/** Two writes within this many milliseconds may give a file the same modification time. */
const CLOCK_TICK_MS = 20;
/** Maximum number of attempts to copy a database while other programs write to it. */
const COPY_ATTEMPTS = 5;

/** A SQLite database in one state: all passes read the rows that it had when it was opened. */
export interface SqliteSnapshot {
  /** The file to open. Lock files of the reader may be left beside it only if `inFolder` is true. */
  readonly file: string;
  readonly inFolder: boolean;
  /** True if `file` is a copy with a write-ahead log. SQLite must open it exclusively. */
  readonly logged: boolean;
  /** Throws if the database was changed since it was opened. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Makes a database readable in one state. It is opened in a temporary folder, because SQLite writes its lock file next to the database, and
 * the folder of the data may be read-only.
 *
 * A database with a rollback journal is linked. It is locked as SQLite's own readers lock it, so writers wait until it is closed. If Node
 * cannot lock it, a change is detected afterwards and is an error. A database with a write-ahead log is copied together with its log,
 * because readers find the newest pages through shared memory, which WebAssembly does not have.
 */
export async function takeSnapshot(file: string, path: string, folder: string): Promise<SqliteSnapshot> {
  // SQLite looks for the log and the journal beside the file itself, not beside a link to it.
  const real = await realpath(file).catch((error: unknown) => {
    throw systemError(error, path, 'read');
  });
  const { handle } = await openRegularFile(real, 'It was a file a moment ago.');
  try {
    const lock = await lockShared(handle);
    if (lock === 'busy') throw locked(path);
    const watch = await FileWatch.start(handle, path);
    if (lock === 'unavailable') await waitForTick();
    await refuseJournal(real, path, lock);
    const name = join(folder, 'data.sqlite');
    if (await usesLog(handle)) {
      await copyWithLog(real, name, path);
      await closeRead(handle);
      return { file: name, inFolder: true, logged: true, check: async () => {}, release: async () => {} };
    }
    // On some systems users may not create links.
    const linked = await symlink(real, name).then(
      () => true,
      () => false,
    );
    return {
      file: linked ? name : real,
      inFolder: linked,
      logged: false,
      check: async () => {
        const change = await watch.change();
        if (change !== undefined)
          throw new DataError('SOURCE_CHANGED', `${change}. Run it again when nothing writes to it, or use a copy.`, {
            path,
          });
      },
      release: () => closeRead(handle),
    };
  } catch (error) {
    await closeRead(handle);
    throw error;
  }
}

/** Returns true if the database was last written with a write-ahead log. The header contains the write version and the read version; 2 means a log. */
async function usesLog(handle: FileHandle): Promise<boolean> {
  const header = Buffer.alloc(20);
  await handle.read(header, 0, 20, 0);
  return header[18] === 2 || header[19] === 2;
}

/**
 * Throws if a journal is left. A journal holds pages as they were before a change. If a program was killed during the change, some pages of
 * the database are new and some are old, until a program with write access restores them. Our SQLite opens databases read-only and cannot.
 */
async function refuseJournal(real: string, path: string, lock: SharedLock | 'unavailable'): Promise<void> {
  const writing = (): boolean => lock !== 'unavailable' && lock.reserved();
  const journal = `${real}-journal`;
  if (writing() || !(await holdsPages(journal)) || writing()) return;
  const remedy = `Close that program, or open the database once with one that may write to it, which undoes the change: sqlite3 ${basename(real)} .tables`;
  throw unsupported(
    path,
    `holds an unfinished change: its pages as they were before are in ${basename(journal)}, so a program is writing to it or was stopped while it did`,
    `${remedy}.`,
  );
}

/** Returns true if a journal holds pages. After a completed change it is empty, or begins with zeros. */
async function holdsPages(journal: string): Promise<boolean> {
  const handle = await open(journal).catch(() => undefined);
  if (!handle) return (await stat(journal).catch(() => undefined)) !== undefined;
  try {
    const first = Buffer.alloc(1);
    await handle.read(first, 0, 1, 0);
    return first[0] !== 0;
  } finally {
    await closeRead(handle);
  }
}

/** Copies a database and its log in one state: the copies are valid only if neither file changed meanwhile. */
async function copyWithLog(real: string, name: string, path: string): Promise<void> {
  for (let attempt = 0; attempt < COPY_ATTEMPTS; attempt++) {
    const before = await stateOfBoth(real);
    await waitForTick();
    const ends = (await isReadable(`${real}-wal`)) ? ['', '-wal'] : [''];
    try {
      for (const end of ends) await copyFile(real + end, name + end, constants.COPYFILE_FICLONE);
    } catch (error) {
      throw systemError(error, name, 'written');
    }
    if ((await stateOfBoth(real)) === before) return;
  }
  throw locked(path);
}

/** Returns false if the file does not exist. */
async function isReadable(file: string): Promise<boolean> {
  try {
    await access(file, constants.R_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw systemError(error, file, 'read');
  }
}

async function stateOfBoth(real: string): Promise<string> {
  const states = [real, `${real}-wal`].map(async (file) => {
    const state = await stat(file, { bigint: true }).catch(() => undefined);
    return state ? `${state.dev} ${state.ino} ${state.size} ${state.mtimeNs}` : 'none';
  });
  return (await Promise.all(states)).join();
}

/** Waits until a further write would give a file a later modification time. */
function waitForTick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, CLOCK_TICK_MS));
}

function locked(path: string): FileError {
  return new FileError(
    'NO_ACCESS',
    path,
    `${path} cannot be read now: another program is writing to it. Try again when it has finished, or close it.`,
  );
}
