import { signal } from '@preact/signals';
import type { Progress } from '@scree/core';
import { describeProblem } from '../describe-problem.js';
import { connectWorker, isCancelled, WorkerError } from '../worker/client.js';
import type { Origin, TableInfo } from '../worker/messages.js';

export const callWorker = connectWorker();

/** Data as the page knows them. Another object for every opening, also of the same file. */
export interface OpenedData {
  readonly info: TableInfo;
  /** Name of a built-in set, or undefined for a file of the user's own. */
  readonly dataset: string | undefined;
  /** The file on the page's own server, as its address has it; undefined for others. */
  readonly file?: string | undefined;
  /** Of data that came without a file, built in or pasted: where they are from. */
  readonly source?: Exclude<Origin, { kind: 'blob' }> | undefined;
}

export const opened = signal<OpenedData | undefined>(undefined);

/** Work that is under way, for the status line. */
export interface RunningTask {
  readonly what: string;
  readonly progress?: Progress | undefined;
  cancel(): void;
}
export const runningTask = signal<RunningTask | undefined>(undefined);

/** What went wrong last; empty when nothing did. */
export const problem = signal('');

export function reportProblem(error: unknown): void {
  if (isCancelled(error)) return;
  problem.value =
    error instanceof WorkerError
      ? describeProblem(error.problem)
      : error instanceof Error
        ? error.message
        : String(error);
}

/** Runs work of which there is one at a time: new work cancels what is running. */
let current: AbortController | undefined;
export async function runTask<Result>(
  what: string,
  run: (control: { signal: AbortSignal; onProgress: (progress: Progress) => void }) => Promise<Result>,
): Promise<Result | undefined> {
  current?.abort();
  const mine = new AbortController();
  current = mine;
  const cancel = (): void => mine.abort();
  runningTask.value = { what, cancel };
  problem.value = '';
  try {
    return await run({
      signal: mine.signal,
      onProgress: (progress) => {
        if (current === mine) runningTask.value = { what, progress, cancel };
      },
    });
  } catch (error) {
    if (current === mine) reportProblem(error);
    return undefined;
  } finally {
    if (current === mine) {
      runningTask.value = undefined;
      current = undefined;
    }
  }
}

/** Stops what is running, without anything new. */
export function cancelTask(): void {
  current?.abort();
}

/** Opens data; what was open stays until they are there, and for good where they cannot be read. */
export async function loadData(origin: Origin, dataset?: string, file?: string): Promise<OpenedData | undefined> {
  const info = await runTask(`Reading ${origin.name}`, (control) => callWorker('open', origin, control));
  if (!info) return undefined;
  const hasFile = origin.kind === 'blob' || (origin.kind === 'address' && dataset === undefined);
  const data = { info, dataset, file, source: hasFile ? undefined : origin };
  opened.value = data;
  return data;
}
