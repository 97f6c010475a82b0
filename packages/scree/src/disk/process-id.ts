import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from './error-code.js';

/**
 * Identifies the process that writes a temporary file or holds a lock, so that a later process can tell whether it still
 * runs: `host-pid-start`. A pid alone is not enough: pids are reused, and mean something else on another machine or in
 * another container that shares the folder.
 */
export const PROCESS_ID = `${hostId()}-${process.pid}-${statOf('self')?.start ?? 0}`;

/** A process id as a regular expression. */
export const PROCESS_ID_PATTERN = '[0-9a-f]{8}-\\d+-\\d+';

/** The state of a process. 'unknown' if it belongs to another machine or container. */
export function processState(processId: string): 'running' | 'ended' | 'unknown' {
  const [host, pid, start] = processId.split('-');
  if (host !== hostId()) return 'unknown';
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    if (errorCode(error) !== 'EPERM') return 'ended';
  }
  const stat = statOf(pid);
  if (stat === undefined) return 'running';
  return stat.start === start && !stat.dead ? 'running' : 'ended';
}

/** A short hash of the machine and, on Linux, of the pid namespace of the container: pids are unique within these. */
function hostId(): string {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux.
  }
  return createHash('sha256').update(`${hostname()}\n${namespace}`).digest('hex').slice(0, 8);
}

/** The start of a process in ticks since boot, and whether it is a zombie. Undefined if that cannot be read. */
function statOf(pid: string): { start: string; dead: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field, the name of the program in parentheses, may contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { start: fields[19], dead: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return undefined;
  }
}
