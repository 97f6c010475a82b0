import type { Analysis } from '@scree/analysis';
import type { Model } from '@scree/core';
import type { LevelCentre } from './figures/centres-figure.js';
import { plainText } from './plain-text.js';

/** Columns of numbers and of categories in a model with an encoding (MCA, FAMD, MFA). */

/** Indexes of the encoded columns that are numbers, not levels of a category. */
export function numericColumns({ coding: encoding, d }: Model): number[] {
  if (!encoding) return Array.from({ length: d }, (_, j) => j);
  let at = 0;
  let composed = false;
  return encoding.columns.flatMap((column) => {
    if (column.kind === 'category') {
      at += column.levels.length;
      return [];
    }
    // D parts of an ilr composition have D − 1 coordinates.
    if (column.transform === 'ilr' && !composed) {
      composed = true;
      return [];
    }
    return [at++];
  });
}

/** The centres of the levels of categories: the mean scores of their rows. */
export function categoryCentres({ coded }: Pick<Analysis, 'coded'>): LevelCentre[] {
  return (coded?.categories ?? []).flatMap(({ column, levels }) =>
    levels.map(({ level, share, center }) => ({
      column: plainText(column),
      level: plainText(level),
      n: share,
      center,
    })),
  );
}
