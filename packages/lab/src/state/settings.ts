import { computed, signal } from '@preact/signals';
import type { Scale } from '@scree/core';
import { DATASETS, type Dataset, isDataset } from '../data/datasets.js';
import type { Missing, Request } from '../worker/messages.js';
import type { Opened } from './data.js';

/** How the data are fitted. */
export interface Settings {
  /** Places of the columns that are used. */
  readonly columns: readonly number[];
  readonly scale: Extract<Scale, string>;
  readonly missing: Missing;
  readonly solver: Request['solver'];
  /** Place of the column that names rows, in cards, searches and exports. */
  readonly label: number | undefined;
}

export const SCALES = ['none', 'unit', 'pareto', 'range'] as const satisfies readonly Settings['scale'][];
export const SOLVERS = ['auto', 'covariance', 'dual', 'svd', 'krylov'] as const satisfies readonly Settings['solver'][];

/** Settings belong to the data they were chosen for, and the two change together. */
export const settings = signal<{ readonly data: Opened; readonly chosen: Settings } | undefined>(undefined);

export function change(part: Partial<Settings>): void {
  const now = settings.value;
  if (now) settings.value = { data: now.data, chosen: { ...now.chosen, ...part } };
}

export interface Asked {
  readonly data: Opened;
  readonly request: Request & Pick<Settings, 'scale'>;
}

/** What is asked of the worker; only a change of this is a reason for another fit, and another object. */
export const request = computed((): Asked | undefined => {
  const now = settings.value;
  if (!now) return undefined;
  const { columns, scale, missing, solver } = now.chosen;
  const next: Asked = { data: now.data, request: { data: now.data.facts.id, columns, scale, missing, solver } };
  if (!last || !isSame(last, next)) last = next;
  return last;
});
let last: Asked | undefined;

function isSame(a: Asked, b: Asked): boolean {
  const parts = Object.keys(a.request) as (keyof Request)[];
  return a.data === b.data && parts.every((part) => a.request[part] === b.request[part]);
}

/** What is best tried first. */
export function defaultsFor(data: Opened): Settings {
  const { columns } = data.facts;
  const dataset: Dataset | undefined = isDataset(data.dataset ?? null)
    ? DATASETS[data.dataset as keyof typeof DATASETS]
    : undefined;
  const named = (name: string): number => columns.findIndex((column) => column.name === name);
  const excluded = (dataset?.exclude ?? []).map(named);
  const text = columns.findIndex(({ kind }) => kind === 'text');
  const label = dataset ? named(dataset.label) : text;
  return {
    columns: columns.flatMap(({ usable, index }, j) => (usable && !index && !excluded.includes(j) ? [j] : [])),
    scale: dataset?.scale ?? 'none',
    missing: 'drop',
    solver: 'auto',
    label: label < 0 ? undefined : label,
  };
}
