import { batch, signal } from '@preact/signals';
import type { ColumnAdvice } from '@scree/analysis';
import type { Progress } from '@scree/core';
import { describeProblem } from '../describe-problem.js';
import { connectWorker, isCancelled, WorkerError } from '../worker/client.js';
import type { DataOrigin, TableInfo } from '../worker/messages.js';

export const callWorker = connectWorker();

/** Opened data. A new object each time, even for the same file. */
export interface OpenedData {
  readonly info: TableInfo;
  /** The number of these data in the browser's history. Data that are opened again by "back" keep their number. */
  readonly entry: number;
  /** True if the user opened the data on this page, and not by an address. */
  readonly isOpenedHere: boolean;
  /** Name of a built-in set; undefined for the user's own data. */
  readonly dataset: string | undefined;
  /** The file on the server of the page, as in the address; undefined for other data. */
  readonly file?: string | undefined;
  /** The origin of data without a file: built-in or pasted. */
  readonly source?: Exclude<DataOrigin, { kind: 'blob' }> | undefined;
  /** The settings that suit the user's own data. Built-in data have fixed settings. */
  readonly advice?: ColumnAdvice | undefined;
}

export const opened = signal<OpenedData | undefined>(undefined);

/** Data that are being opened, until they have a fit. Until then no result of other data is shown beside their name. */
export interface LoadingData {
  readonly name: string;
  readonly dataset: string | undefined;
  /** Undefined until the data are read. */
  readonly data?: OpenedData;
}
export const loading = signal<LoadingData | undefined>(undefined);

/** Called when data have a fit, and when their fit failed. */
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

/** Runs a task. Only one task runs at a time: a new task cancels the running one. */
export async function runInWorker<Result>(
  what: string,
  run: (control: { signal: AbortSignal; onProgress: (progress: Progress) => void }) => Promise<Result>,
): Promise<Result | undefined> {
  cancelTask();
  const controller = new AbortController();
  const cancel = (): void => controller.abort();
  const isCurrent = (): boolean => runningTask.peek()?.cancel === cancel;
  runningTask.value = { what, cancel };
  problem.value = '';
  try {
    return await run({
      signal: controller.signal,
      onProgress: (progress) => {
        if (isCurrent()) runningTask.value = { what, progress, cancel };
      },
    });
  } catch (error) {
    if (isCurrent()) reportProblem(error);
    return undefined;
  } finally {
    if (isCurrent()) runningTask.value = undefined;
  }
}

/** Cancels the running task. */
export function cancelTask(): void {
  runningTask.peek()?.cancel();
}

/** Data to open: their origin, and how the address names them. */
export interface Opening extends Pick<OpenedData, 'dataset' | 'file' | 'entry' | 'isOpenedHere'> {
  readonly origin: DataOrigin;
}

/**
 * Opens data. The previous data stay open until the new data are loaded, and if the new data cannot be read. Then `stillShown`
 * returns the name of the data that are still shown.
 */
export async function loadData(
  { origin, ...known }: Opening,
  stillShown: () => string | undefined,
): Promise<OpenedData | undefined> {
  const { name } = origin;
  const { dataset } = known;
  const mine: LoadingData = { name, dataset };
  loading.value = mine;
  const read = await runInWorker(`Reading ${name}`, async (control) => {
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
