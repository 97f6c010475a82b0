import { batch, signal } from '@preact/signals';
import type { ColumnAdvice } from '@scree/analysis';
import type { Progress } from '@scree/core';
import { describeProblem } from '../describe-problem.js';
import { connectWorker, isCancelled, WorkerError } from '../worker/client.js';
import type { Origin, TableInfo } from '../worker/messages.js';

export const callWorker = connectWorker();

/** Opened data. A new object each time, even for the same file. */
export interface OpenedData {
  readonly info: TableInfo;
  /** In entries of the browser's history: what the user opened once keeps it when it is read again. */
  readonly entry: number;
  /** Whether the user opened the data on this page, and not by an address. */
  readonly isOpenedHere: boolean;
  /** Name of a built-in set; undefined for the user's own data. */
  readonly dataset: string | undefined;
  /** The file on the server of the page, as in the address; undefined for other data. */
  readonly file?: string | undefined;
  /** The origin of data without a file: built-in or pasted. */
  readonly source?: Exclude<Origin, { kind: 'blob' }> | undefined;
  /** The settings that suit the user's own data; built-in data have theirs. */
  readonly advice?: ColumnAdvice | undefined;
}

export const opened = signal<OpenedData | undefined>(undefined);

/** Data that are being opened, until there is a fit of them: nothing of other data is shown beside their name. */
export interface LoadingData {
  readonly name: string;
  readonly dataset: string | undefined;
  /** Undefined until the data are read. */
  readonly data?: OpenedData;
}
export const loading = signal<LoadingData | undefined>(undefined);

/** Says that there is a fit of data, or that there will be none. */
export function endLoading(data: OpenedData): void {
  if (loading.peek()?.data === data) loading.value = undefined;
}

/** A running task, for the status line. */
export interface RunningTask {
  readonly what: string;
  readonly progress?: Progress | undefined;
  cancel(): void;
}
export const runningTask = signal<RunningTask | undefined>(undefined);

/** The last problem as a sentence; empty if there is none. */
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

/** Runs a task. There is one at a time: a new task cancels the running one. */
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

/** Cancels the running task. */
export function cancelTask(): void {
  current?.abort();
}

/** What is opened: where it is read from, and what the address says of it. */
export interface Opening extends Pick<OpenedData, 'dataset' | 'file' | 'entry' | 'isOpenedHere'> {
  readonly origin: Origin;
}

/**
 * Opens data. The previous data stay open until these are loaded, or if they cannot be read; `stillShown` is the name of what is
 * shown then.
 */
export async function loadData(
  { origin, ...known }: Opening,
  stillShown: () => string | undefined,
): Promise<OpenedData | undefined> {
  const { name } = origin;
  const { dataset } = known;
  const mine: LoadingData = { name, dataset };
  loading.value = mine;
  const read = await runTask(`Reading ${name}`, async (control) => {
    const info = await callWorker('open', origin, control);
    return { info, advice: dataset === undefined ? await callWorker('advise', info.id, control) : undefined };
  });
  // Other data are being opened already.
  if (loading.peek() !== mine) return undefined;
  if (!read) {
    loading.value = undefined;
    const still = stillShown();
    if (problem.peek() !== '')
      problem.value = `${name} was not opened. ${problem.peek()}${still === undefined ? '' : ` What is shown is still ${still}.`}`;
    return undefined;
  }
  const hasFile = origin.kind === 'blob' || (origin.kind === 'url' && dataset === undefined);
  const data = { ...read, ...known, source: hasFile ? undefined : origin };
  batch(() => {
    opened.value = data;
    loading.value = { ...mine, data };
  });
  return data;
}
