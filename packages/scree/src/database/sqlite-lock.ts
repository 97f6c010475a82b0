import type { FileHandle } from 'node:fs/promises';
import { endianness } from 'node:os';
import { loadKoffi, type Native } from '../blas/library.js';

/** The bytes that SQLite locks, far after the data of most files (sqlite.org, "File Locking And Concurrency"; os.h of SQLite). */
const PENDING_BYTE = 0x40000000;
const RESERVED_BYTE = PENDING_BYTE + 1;
const SHARED_FIRST = PENDING_BYTE + 2;
const SHARED_SIZE = 510;

/** Commands of fcntl on Linux for locks that belong to an open file, not to a process. They conflict with SQLite's own as they must. */
const F_OFD_GETLK = 36;
const F_OFD_SETLK = 37;
const [READ, WRITE, NONE] = [0, 1, 2];
/** Bytes of `struct flock` on 64-bit Linux: short type, short whence, 4 bytes of padding, int64 start, int64 length, int32 process. */
const FLOCK_SIZE = 32;

/** Longest time to wait for a writer, and the time between two attempts. */
const PATIENCE_MS = 2000;
const INTERVAL_MS = 20;

/**
 * SQLite's SHARED lock on a database. While it is held no program that uses SQLite can write to the file, and every reader can read it.
 * It belongs to the handle and ends when that is closed.
 */
export interface SharedLock {
  /** Returns true if a program has begun to write. Its changes are not in the file yet, because it waits until the lock is released. */
  reserved(): boolean;
}

/** Takes the lock. Returns 'unavailable' if Node cannot take such locks here, and 'busy' if a program keeps writing. */
export async function lockShared(
  handle: FileHandle,
  patience = PATIENCE_MS,
): Promise<SharedLock | 'unavailable' | 'busy'> {
  const fcntl = await findFcntl();
  if (!fcntl) return 'unavailable';
  const ask = (command: number, type: number, start: number, length: number): Buffer | undefined => {
    const lock = Buffer.alloc(FLOCK_SIZE);
    lock.writeInt16LE(type, 0);
    lock.writeBigInt64LE(BigInt(start), 8);
    lock.writeBigInt64LE(BigInt(length), 16);
    return fcntl(handle.fd, command, 'void *', lock) === 0 ? lock : undefined;
  };
  const set = (type: number, start: number, length: number): boolean =>
    ask(F_OFD_SETLK, type, start, length) !== undefined;
  // A file system without locks, such as some network mounts, cannot tell which process holds one.
  if (!ask(F_OFD_GETLK, READ, PENDING_BYTE, 1)) return 'unavailable';
  for (const end = Date.now() + patience; ; ) {
    // A writer that waits for the last reader holds the pending byte, so that no new reader comes.
    const entered = set(READ, PENDING_BYTE, 1);
    const shared = entered && set(READ, SHARED_FIRST, SHARED_SIZE);
    if (entered) set(NONE, PENDING_BYTE, 1);
    if (shared) break;
    if (Date.now() >= end) return 'busy';
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
  return {
    reserved: () => ask(F_OFD_GETLK, WRITE, RESERVED_BYTE, 1)?.readInt16LE(0) !== NONE,
  };
}

/** The system's fcntl. Cached for the process. */
let found: Promise<Native | undefined> | undefined;

function findFcntl(): Promise<Native | undefined> {
  found ??= loadFcntl();
  return found;
}

/** The system's fcntl, called through koffi; undefined without koffi, and on systems whose structures are not known here. */
async function loadFcntl(): Promise<Native | undefined> {
  if (process.platform !== 'linux' || endianness() !== 'LE' || !/^(x64|arm64|riscv64|loong64)$/.test(process.arch))
    return undefined;
  const koffi = await loadKoffi();
  if (typeof koffi === 'string') return undefined;
  try {
    return koffi.load(null).func('fcntl', 'int', ['int', 'int', '...']);
  } catch {
    return undefined;
  }
}
