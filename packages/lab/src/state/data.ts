import { signal } from '@preact/signals';
import type { Progress } from '@scree/core';
import { askWorker, isCancelled } from '../worker/client.js';
import type { DataFacts, Origin } from '../worker/messages.js';

export const ask = askWorker();

/** Data as the page knows them. Another object for every opening, also of the same file. */
export interface Opened {
  readonly facts: DataFacts;
  /** Name of a built-in set, or undefined for a file of the user's own. */
  readonly dataset: string | undefined;
  /** The file on the page's own server, as its address has it; undefined for others. */
  readonly file?: string | undefined;
  /** Of data that came without a file, built in or pasted: where they are from. */
  readonly source?: Exclude<Origin, { kind: 'blob' }> | undefined;
}

export const opened = signal<Opened | undefined>(undefined);

/** Work that is under way, for the status line. */
export interface Busy {
  readonly what: string;
  readonly progress?: Progress | undefined;
  cancel(): void;
}
export const busy = signal<Busy | undefined>(undefined);

/** What went wrong last; empty when nothing did. */
export const problem = signal('');

export function fail(error: unknown): void {
  if (isCancelled(error)) return;
  problem.value = error instanceof Error ? error.message : String(error);
}

/** Runs work of which there is one at a time: new work cancels what is running. */
let current: AbortController | undefined;
export async function work<Result>(
  what: string,
  run: (control: { signal: AbortSignal; onProgress: (progress: Progress) => void }) => Promise<Result>,
): Promise<Result | undefined> {
  current?.abort();
  const mine = new AbortController();
  current = mine;
  const cancel = (): void => mine.abort();
  busy.value = { what, cancel };
  problem.value = '';
  try {
    return await run({
      signal: mine.signal,
      onProgress: (progress) => {
        if (current === mine) busy.value = { what, progress, cancel };
      },
    });
  } catch (error) {
    if (current === mine) fail(error);
    return undefined;
  } finally {
    if (current === mine) {
      busy.value = undefined;
      current = undefined;
    }
  }
}

/** Stops what is running, without anything new. */
export function stopWork(): void {
  current?.abort();
}

/** Opens data; what was open stays until they are there, and for good where they cannot be read. */
export async function openData(origin: Origin, dataset?: string, file?: string): Promise<Opened | undefined> {
  const facts = await work(`Reading ${origin.name}`, (control) => ask('open', origin, control));
  if (!facts) return undefined;
  const hasFile = origin.kind === 'blob' || (origin.kind === 'address' && dataset === undefined);
  const data = { facts, dataset, file, source: hasFile ? undefined : origin };
  opened.value = data;
  return data;
}
