import { computed, signal } from '@preact/signals';
import type { Scale } from '@scree/core';
import { EXACT_SOLVERS } from '@scree/core/names';
import { DATASETS, type Dataset, isDataset } from '../data/datasets.js';
import type { FitRequest, GapRule } from '../worker/messages.js';
import type { OpenedData } from './data.js';

/** The settings of a fit. */
export interface Settings {
  /** Indexes of the columns that are fitted. */
  readonly columns: readonly number[];
  /** Scaling by medians reads rows several times and is not offered. */
  readonly scale: Exclude<Extract<Scale, string>, 'median'>;
  readonly missing: GapRule;
  readonly solver: FitRequest['solver'];
  /** Whether the GPU may be used where it is faster. */
  readonly gpu: boolean;
  /** Index of the column that names rows in cards, searches and exports. */
  readonly label: number | undefined;
}

export const SCALES = ['none', 'unit', 'pareto', 'range'] as const satisfies readonly Settings['scale'][];
export const SOLVERS = ['auto', ...EXACT_SOLVERS] as const satisfies readonly Settings['solver'][];

/** Settings belong to the data they were chosen for; both change together. */
export const settings = signal<{ readonly data: OpenedData; readonly chosen: Settings } | undefined>(undefined);

export function changeSettings(part: Partial<Settings>): void {
  const now = settings.value;
  if (now) settings.value = { data: now.data, chosen: { ...now.chosen, ...part } };
}

export interface RequestedFit {
  readonly data: OpenedData;
  readonly requestedFit: FitRequest & Pick<Settings, 'scale'>;
}

/** The requested fit. It is a new object only when something changed that needs another fit. */
export const request = computed((): RequestedFit | undefined => {
  const now = settings.value;
  if (!now) return undefined;
  const { columns, scale, missing, solver, gpu } = now.chosen;
  const next: RequestedFit = {
    data: now.data,
    requestedFit: { data: now.data.info.id, columns, scale, missing, solver, engine: gpu ? 'auto' : 'wasm' },
  };
  if (!last || !isSame(last, next)) last = next;
  return last;
});
let last: RequestedFit | undefined;

function isSame(a: RequestedFit, b: RequestedFit): boolean {
  const parts = Object.keys(a.requestedFit) as (keyof FitRequest)[];
  return a.data === b.data && parts.every((part) => a.requestedFit[part] === b.requestedFit[part]);
}

/** The initial settings: those of the built-in set, or those that suit the user's data. */
export function defaultSettings(data: OpenedData): Settings {
  const { advice } = data;
  const { columns } = data.info;
  const dataset = builtIn(data);
  const named = (name: string): number => columns.findIndex((column) => column.name === name);
  const excluded = advice?.leftOut.map(({ column }) => column) ?? (dataset?.exclude ?? []).map(named);
  const label = dataset?.label === undefined ? advice?.label : named(dataset.label);
  return {
    columns: columns.flatMap(({ usable }, j) => (usable && !excluded.includes(j) ? [j] : [])),
    scale: dataset?.scale ?? (advice?.unequal ? 'unit' : 'none'),
    missing: 'drop',
    solver: 'auto',
    gpu: true,
    label,
  };
}

/** The column that colours the points at first. */
export function defaultColour(data: OpenedData): number | undefined {
  const name = builtIn(data)?.colour;
  if (name === undefined) return data.advice?.colour?.column;
  return data.info.columns.findIndex((column) => column.name === name);
}

function builtIn({ dataset: name = '' }: OpenedData): Dataset | undefined {
  return isDataset(name) ? DATASETS[name] : undefined;
}
