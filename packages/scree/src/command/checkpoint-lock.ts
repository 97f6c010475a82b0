import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { FileError } from '@scree/files';
import { partName, removeAbandonedParts } from '../disk/atomic-file.js';
import { errorCode } from '../disk/error-code.js';
import { targetOf } from '../disk/output-target.js';
import { PROCESS_ID, PROCESS_ID_PATTERN, processState } from '../disk/process-id.js';
import { systemError } from '../disk/system-error.js';
import { atExit, removeAtExit, settled } from '../disk/temporary-files.js';

/** Milliseconds between two signs of life in the lock. */
const SIGN_OF_LIFE = 15_000;
/** Milliseconds without a sign of life after which a process on another machine or in another container counts as ended. */
const SILENCE = 120_000;
/** A lock has fewer bytes than this. */
const LONGEST = 4096;
/** Attempts to replace an abandoned lock. An attempt fails if another process was faster. */
const ATTEMPTS = 5;

/** The lock of a checkpoint: a file next to it. */
export async function lockPath(checkpoint: string): Promise<string> {
  return `${await targetOf(checkpoint)}.lock`;
}

interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly process: string;
}

/**
 * A lock file, so that only one process at a time works on a checkpoint. The lock of a killed process is taken over: at once on the same
 * machine, and after two minutes without a sign of life if the process may run on another machine.
 */
export class CheckpointLock {
  readonly #checkpoint: string;
  readonly #path: string;
  readonly #content: string;
  readonly #timer: NodeJS.Timeout;

  static async acquire(checkpoint: string): Promise<CheckpointLock> {
    const path = await lockPath(checkpoint);
    await removeAbandonedParts(path);
    const owner: Owner = { pid: process.pid, host: hostname(), process: PROCESS_ID };
    const content = `${JSON.stringify({ ...owner, token: randomUUID() })}\n`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await create(path, content)) return new CheckpointLock(checkpoint, path, content);
      const found = await readLock(path);
      if (found === undefined) continue;
      if (!found.abandoned) throw inUse(checkpoint, path, found);
      await takeAway(path, found.content);
    }
    throw new FileError(
      'NO_ACCESS',
      checkpoint,
      `Other processes keep locking ${checkpoint}. Name another --checkpoint.`,
    );
  }

  private constructor(checkpoint: string, path: string, content: string) {
    this.#checkpoint = checkpoint;
    this.#path = path;
    this.#content = content;
    this.#timer = setInterval(() => {
      const now = new Date();
      utimes(path, now, now).catch(() => {});
    }, SIGN_OF_LIFE).unref();
    atExit(this, () => {
      if (readFileSync(path, 'utf8') === content) rmSync(path);
    });
  }

  /** Throws if another process has taken the lock over, because only that process may write the checkpoint then. */
  async confirm(): Promise<void> {
    if ((await readFile(this.#path, 'utf8').catch(() => '')) === this.#content) return;
    throw new FileError(
      'NO_ACCESS',
      this.#checkpoint,
      `Another process works on ${this.#checkpoint} now: ${this.#path} was replaced or deleted. This one stops.`,
    );
  }

  /** Removes the lock. If removing fails, it is tried again at exit. The results are valid in any case. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    try {
      if ((await readFile(this.#path, 'utf8')) === this.#content) await rm(this.#path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') return;
    }
    settled(this);
  }
}

/** Errors of disks without hard links; Windows reports EISDIR for them. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR', 'EINVAL'];

/**
 * Creates the lock. Returns false if a lock exists. The file is written under another name first, so that no process sees it without its
 * content.
 */
async function create(path: string, content: string): Promise<boolean> {
  const part = partName(path);
  removeAtExit(part);
  try {
    await writeFile(part, content, { flag: 'wx' });
    await link(part, path).catch(async (error: NodeJS.ErrnoException) => {
      if (!NO_LINKS.includes(error.code ?? '')) throw error;
      await writeFile(path, content, { flag: 'wx' });
    });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw systemError(error, path, 'written');
  } finally {
    await rm(part, { force: true }).then(
      () => settled(part),
      () => {},
    );
  }
}

interface FoundLock {
  readonly content: string;
  readonly owner: Owner | undefined;
  /** Milliseconds since the last sign of life. */
  readonly silent: number;
  readonly abandoned: boolean;
}

async function readLock(path: string): Promise<FoundLock | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return undefined;
  const content = stats.isFile() && stats.size < LONGEST ? await readFile(path, 'utf8').catch(() => '') : undefined;
  // An empty lock is being written, or its process was killed at that moment. Any other file is not a lock, and must not be deleted.
  const owner = content ? ownerOf(content) : undefined;
  if (content === undefined || (content !== '' && owner === undefined)) {
    const message = `${path} would be the lock of the checkpoint, and is another file. Name another --checkpoint.`;
    throw new FileError('BAD_FILE', path, message);
  }
  const silent = Math.max(0, Date.now() - stats.mtimeMs);
  const state = owner ? processState(owner.process) : 'unknown';
  // If the start time of the process is not known, another program may have got the same id since.
  const sure = state === 'running' && !owner?.process.endsWith('-0');
  return { content, owner, silent, abandoned: state === 'ended' || (!sure && silent > SILENCE) };
}

function ownerOf(content: string): Owner | undefined {
  try {
    const { pid, host, process } = JSON.parse(content);
    const known = typeof host === 'string' && new RegExp(`^${PROCESS_ID_PATTERN}$`).test(process);
    return known ? { pid, host, process } : undefined;
  } catch {
    return undefined;
  }
}

/** Removes an abandoned lock. If another process has replaced it in the meantime, the new lock is put back. */
async function takeAway(path: string, content: string): Promise<void> {
  const away = `${path}.${randomUUID()}`;
  try {
    await rename(path, away);
    if ((await readFile(away, 'utf8')) !== content) await link(away, path);
  } catch (error) {
    // ENOENT: another process has removed it. EEXIST: a third lock exists already.
    if (!['ENOENT', 'EEXIST'].includes(errorCode(error) ?? '')) throw systemError(error, path, 'written');
  } finally {
    await rm(away, { force: true }).catch(() => {});
  }
}

function inUse(checkpoint: string, path: string, { owner, silent }: FoundLock): FileError {
  const here = owner !== undefined && processState(owner.process) === 'running';
  const who = owner ? `process ${owner.pid} on ${here ? 'this machine' : owner.host}` : 'another process';
  const wait = here
    ? 'Wait until it ends, or name another --checkpoint.'
    : `Its last sign of life was ${Math.round(silent / 1000)} s ago. If it was killed, try again ${SILENCE / 60_000} minutes after that, or delete ${path}.`;
  return new FileError('NO_ACCESS', checkpoint, `${checkpoint} is in use by ${who}. ${wait}`, { value: owner?.pid });
}
