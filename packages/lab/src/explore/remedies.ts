import { listed, plural } from '@scree/analysis/describe';
import type { Warning } from '@scree/core';
import { shorten } from '../shorten.js';
import type { Fitted } from '../state/fit.js';
import { changeSettings, settings } from '../state/settings.js';

/** A button that resolves a warning. */
export interface Remedy {
  readonly title: string;
  act(): void;
}

/** Columns that a button names. */
const NAMED = 3;

/** The buttons that can resolve a warning of a fit. */
export function remediesFor({ code, details = {} }: Warning, now: Fitted): readonly Remedy[] {
  switch (code) {
    case 'DOMINANT_COLUMN':
    case 'UNEQUAL_SPREAD':
      if (details.remedy === 'none') return [];
      if (details.remedy === 'leave-out') return leaveOut((details.columns as Keys).slice(0, 1), now);
      return [{ title: 'Divide by standard deviations', act: () => changeSettings({ scale: 'unit' }) }];
    case 'ID_COLUMN':
    case 'CATEGORY_CODES':
    case 'CONSTANT_COLUMN':
    case 'LINEAR_RELATION':
    case 'NEAR_CONSTANT_COLUMN':
      return leaveOut(details.columns as Keys, now);
    case 'DUPLICATE_COLUMNS':
      // The first of each group stays.
      return leaveOut(
        (details.groups as readonly Keys[]).flatMap((group) => group.slice(1)),
        now,
      );
    case 'ROWS_DROPPED':
      return [{ title: 'Fill in column means instead', act: () => changeSettings({ missing: 'mean' }) }];
    case 'VALUES_FILLED':
      return [{ title: 'Leave these rows out instead', act: () => changeSettings({ missing: 'drop' }) }];
    default:
      return [];
  }
}

/** Columns as warnings name them: by name, or by index in the fit if the columns have no names. */
type Keys = readonly (string | number)[];

function leaveOut(keys: Keys, { columns, data }: Fitted): readonly Remedy[] {
  const names = columns.map((column) => data.info.columns[column].name);
  const left = new Set(keys.map((key) => columns[typeof key === 'number' ? key : names.indexOf(key)]));
  if (left.size === 0 || left.size === columns.length) return [];
  const titles = [...left].map((column) => shorten(data.info.columns[column].name, 24));
  const title = titles.length > NAMED ? plural(titles.length, 'column') : listed(titles);
  return [{ title: `Leave out ${title}`, act: () => changeColumns((column) => !left.has(column)) }];
}

function changeColumns(keep: (column: number) => boolean): void {
  const chosen = settings.peek()?.chosen.columns ?? [];
  changeSettings({ columns: chosen.filter(keep) });
}
