import { batch, computed, effect, signal, untracked } from '@preact/signals';
import { loadModel, type Model } from '@scree/core';
import type { Answer, CallName, Fit, Question } from '../worker/messages.js';
import { ask, busy, type Opened, stopWork, work } from './data.js';
import { ownCloud } from './own-cloud.js';
import { type Asked, request, type Settings } from './settings.js';

/** A model, and what it is a model of. Another object for every fit: views know by it that theirs is old. */
export interface Fitted {
  /** By which the worker knows it. */
  readonly id: number;
  readonly data: Opened;
  /** What was asked for. Settings may have changed since. */
  readonly request: Asked['request'];
  readonly columns: Settings['columns'];
  readonly model: Model;
  readonly kept: Fit['kept'];
  readonly incomplete: number;
  readonly milliseconds: number;
}

export const fitted = signal<Fitted | undefined>(undefined);

/** Asks the worker about a fit. */
export function askOf<Name extends CallName>(
  { id }: Fitted,
  call: Name,
  question: Question<Name>,
): Promise<Answer<Name>> {
  return ask(call, question, { fit: id });
}

/** Whether what is chosen is not what is shown, and nothing is done about it: a fit was cancelled, or failed. */
export const outdated = computed(() => {
  const asked = request.value;
  return !!asked && !busy.value && asked.request.columns.length > 0 && fitted.value?.request !== asked.request;
});

const firsts = new WeakMap<Opened, (now: Fitted) => void>();

/** Says what happens with the first fit of data, before anybody sees it. */
export function whenFitted(data: Opened, then: (now: Fitted) => void): void {
  firsts.set(data, then);
}

effect(() => {
  const asked = request.value;
  if (asked) void untracked(() => fitNow(asked));
});

/** Once more, after it was cancelled. */
export function fitAgain(): void {
  const asked = request.peek();
  if (asked) void fitNow(asked);
}

async function fitNow(asked: Asked): Promise<void> {
  const { data, request: wanted } = asked;
  if (wanted.columns.length === 0) {
    stopWork();
    fitted.value = undefined;
    return;
  }
  const fit = await work('Fitting', (control) => ask('fit', wanted, control));
  // Another was asked for meanwhile, and brings its own result.
  if (request.peek() !== asked) return;
  if (!fit) {
    // A failed fit leaves the one before only where that is of the same data.
    if (fitted.peek()?.data !== data) fitted.value = undefined;
    return;
  }
  const { id, model, kept, incomplete, milliseconds } = fit;
  const now: Fitted = {
    id,
    data,
    request: wanted,
    columns: wanted.columns,
    model: loadModel(model),
    kept,
    incomplete,
    milliseconds,
  };
  batch(() => {
    fitted.value = now;
    firsts.get(data)?.(now);
    firsts.delete(data);
  });
}

/** Rows that Learn draws. */
const CLOUD_ROWS = 240;

effect(() => {
  const now = fitted.value;
  if (!now) return;
  const { n, k } = now.model;
  const cols = Math.min(3, k);
  const rows = Math.min(CLOUD_ROWS, n);
  if (cols < 2) return;
  askOf(now, 'sample', { rows, components: cols }).then(
    (data) => {
      if (fitted.peek() === now) ownCloud.value = { name: now.data.facts.name, points: { rows, cols, data } };
    },
    () => {
      // Another fit began meanwhile; it brings its own sample.
    },
  );
});

/** Row of the table, counted from 1 as people do, of a row of the fit. */
export function rowNumber({ kept }: Fitted, index: number): number {
  return (kept ? kept[index] : index) + 1;
}
