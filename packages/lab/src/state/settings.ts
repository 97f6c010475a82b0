import { computed, signal } from '@preact/signals';
import type { Scale } from '@scree/core';
import { EXACT_SOLVERS } from '@scree/core/names';
import { DATASETS, type Dataset, isDataset } from '../data/datasets.js';
import type { FitRequest, GapRule } from '../worker/messages.js';
import type { OpenedData } from './data.js';

/** The settings of a fit. */
export interface FitSettings {
  /** Indexes of the columns that are fitted. */
  readonly columns: readonly number[];
  /** Scaling by medians reads rows several times and is not offered. */
  readonly scale: Exclude<Extract<Scale, string>, 'median'>;
  readonly missing: GapRule;
  readonly solver: FitRequest['solver'];
  /** True if the GPU may be used when it is faster. */
  readonly gpu: boolean;
  /** Index of the column that names rows in cards, searches and exports. */
  readonly label: number | undefined;
}

export const SCALE_CHOICES = ['none', 'unit', 'pareto', 'range'] as const satisfies readonly FitSettings['scale'][];
export const SOLVER_CHOICES = ['auto', ...EXACT_SOLVERS] as const satisfies readonly FitSettings['solver'][];

/** The settings, with the data that they were chosen for. Both change together. */
export const settings = signal<{ readonly data: OpenedData; readonly chosen: FitSettings } | undefined>(undefined);

export function changeSettings(part: Partial<FitSettings>): void {
  const now = settings.value;
  if (now) settings.value = { data: now.data, chosen: { ...now.chosen, ...part } };
}

export interface RequestedFit {
  readonly data: OpenedData;
  readonly requestedFit: FitRequest & Pick<FitSettings, 'scale'>;
}

/** The requested fit. It is a new object only if a setting changed that needs another fit. */
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
/** Cache of `request`: the last requested fit. */
let last: RequestedFit | undefined;

function isSame(a: RequestedFit, b: RequestedFit): boolean {
  const parts = Object.keys(a.requestedFit) as (keyof FitRequest)[];
  return a.data === b.data && parts.every((part) => a.requestedFit[part] === b.requestedFit[part]);
}

/** The initial settings: fixed for a built-in set, advised for the user's data. */
export function defaultSettings(data: OpenedData): FitSettings {
  const { advice } = data;
  const { columns } = data.info;
  const dataset = builtIn(data);
  const named = (name: string): number => columns.findIndex((column) => column.name === name);
  const excluded = advice?.leftOut.map(({ column }) => column) ?? (dataset?.exclude ?? []).map(named);
  const label = dataset?.label === undefined ? advice?.label : named(dataset.label);
  return {
    columns: columns.flatMap(({ usable }, j) => (usable && !excluded.includes(j) ? [j] : [])),
    scale: dataset?.scale ?? advice?.scaling.rule ?? 'none',
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
