import type { Model } from '@scree/core';
import { refuseChanged } from '@scree/core/data';
import type { DataFile } from '../disk/index.js';
import { chooseColours } from '../report/figures/colouring.js';
import { plainText } from '../report/plain-text.js';
import { readRows } from '../report/read-rows.js';
import { type ComparedRows, findUnusualRows, OF_MEANS, whyNotCompared } from '../report/unusual-rows.js';
import type { Call } from './command.js';
import { countAboveLimit } from './examine.js';
import { type FittedFile, withCoding } from './fit-file.js';
import { COUNT_FLAGS } from './fit-options.js';
import type { Terminal } from './terminal.js';

/**
 * The model with which rows are compared: of as many components as were asked for, otherwise as many as are recommended, because
 * components of noise would hide rows that the others do not describe. `analyze` and `report` take the same.
 */
export function comparedModel({ model, coding, first }: FittedFile, flags: Call['flags']): Model {
  const kept = Math.max(1, componentsToKeep(withCoding(model, coding), flags));
  return kept === model.k ? model : first(kept);
}

/** T² and Q of every row, in one reading. */
export async function lookAtRows(
  file: DataFile,
  fitted: FittedFile,
  { flags, signal }: Call,
  terminal: Terminal,
): Promise<ComparedRows | string> {
  const { source, between, coding } = fitted;
  const unknown = whyNotCompared(withCoding(fitted.model, coding), 'fit');
  if (unknown !== undefined) return unknown;
  if (!source.rereadable) return 'The rows can be read only once, and are too many to keep.';
  if (between) return OF_MEANS;
  const model = comparedModel(fitted, flags);
  const { onProgress } = terminal;
  const { facts: read } = await readRows(model, source, {
    colouring: chooseColours(undefined),
    pictures: false,
    signal,
    onProgress,
  });
  await refuseChanged(source);
  const found = findUnusualRows(model, read, 'fit');
  const shown = found.ranked.map(({ row }) => row);
  const again = file.source.rereadable;
  const places = again || file.dropped === 0 ? await file.rowsInFile(shown) : shown;
  const numbers = new Map(shown.map((row, i) => [row, places[i] + 1]));
  const names = file.label === undefined || !again ? undefined : await namesOf(file, shown);
  terminal.clear();
  return {
    model,
    found,
    facts: {
      ...read,
      numberOf: (row) => numbers.get(row) ?? row + 1,
      ...(names ? { nameOf: (row: number) => names.get(row) } : {}),
    },
  };
}

/** As many components as were asked for, otherwise as many as are recommended; 0 where none stands out of noise. */
export function componentsToKeep({ k, choice, coding, variances }: Model, flags: Call['flags']): number {
  const asked = COUNT_FLAGS.some((name) => flags[name] !== undefined);
  if (asked) return k;
  if (!coding || coding.method === 'pca') return Math.min(k, choice?.k ?? k);
  return countAboveLimit(variances, coding);
}

/** The names of some rows, in one reading that stops after the last of them. */
export async function namesOf(file: DataFile, rows: readonly number[]): Promise<Map<number, string>> {
  const wanted = new Set(rows);
  const found = new Map<number, string>();
  let first = 0;
  for await (const { labels } of file.labelled()) {
    for (let i = 0; i < labels.length; i++) {
      if (!wanted.delete(first + i)) continue;
      const name = labels[i];
      if (name !== null) found.set(first + i, plainText(name, 40));
    }
    if (wanted.size === 0) break;
    first += labels.length;
  }
  return found;
}
