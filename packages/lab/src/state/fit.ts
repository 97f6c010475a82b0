import { effect, signal } from '@preact/signals';
import { loadModel, type Model } from '@scree/core';
import type { Fit } from '../worker/messages.js';
import { ask, type Opened, work } from './data.js';
import { ownCloud } from './own-cloud.js';
import { request, type Settings, settings } from './settings.js';

/** A model, and what it is a model of. Another object for every fit: views know by it that theirs is old. */
export interface Fitted {
  readonly data: Opened;
  readonly columns: Settings['columns'];
  readonly scale: Settings['scale'];
  readonly model: Model;
  readonly kept: Fit['kept'];
  readonly incomplete: number;
  readonly milliseconds: number;
}

export const fitted = signal<Fitted | undefined>(undefined);

effect(() => {
  const asked = request.value;
  if (asked) void fitNow(asked);
});

async function fitNow({ data, request: wanted }: NonNullable<typeof request.value>): Promise<void> {
  if (wanted.columns.length === 0) {
    fitted.value = undefined;
    return;
  }
  const fit = await work('Fitting', (control) => ask('fit', wanted, control));
  if (settings.peek()?.data !== data) return;
  if (!fit) {
    // A failed fit leaves the one before only where that is of the same data.
    if (fitted.peek()?.data !== data) fitted.value = undefined;
    return;
  }
  const { model, ...rest } = fit;
  fitted.value = {
    data,
    columns: wanted.columns,
    scale: wanted.scale as Settings['scale'],
    model: loadModel(model),
    kept: rest.kept,
    incomplete: rest.incomplete,
    milliseconds: rest.milliseconds,
  };
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
  ask('sample', { rows, components: cols }).then(
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
