import type { Model } from '@scree/core';
import type { LevelCentre } from './figures/centres-figure.js';
import { plainText } from './plain-text.js';

/** Columns of numbers and of categories in a model with a coding (MCA, FAMD, MFA). */

/** Indexes of the coded columns that are numbers, not levels of a category. */
export function numericColumns({ coding, d }: Model): number[] {
  const levels = new Set(codedLevels(coding).map(({ at }) => at));
  return Array.from({ length: d }, (_, j) => j).filter((j) => !levels.has(j));
}

/**
 * The centres of the levels of categories. A level of share p is a column x of 0 and 1; with b = (x − p)/s and z the scores, whose mean
 * is 0, the mean of z over its rows is E[zx]/p = s·cov(z, b)/p = s·λ·v/p.
 */
export function categoryCentres(model: Model): LevelCentre[] {
  const { coding, k, d, components, variances, mean, scale, totalWeight, ddof } = model;
  // Variances are divided by n − ddof, and means by n.
  const divisor = (totalWeight - ddof) / totalWeight;
  return codedLevels(coding).map(({ column, level, at }) => ({
    column: plainText(column),
    level: plainText(level),
    n: mean[at],
    center: Array.from(
      { length: k },
      (_, c) => (divisor * scale[at] * variances[c] * components.data[c * d + at]) / mean[at],
    ),
  }));
}

function codedLevels(coding: Model['coding']): { column: string; level: string; at: number }[] {
  let at = 0;
  let composed = false;
  return (coding?.columns ?? []).flatMap((column) => {
    if (column.kind === 'category') {
      return column.levels.map((level) => ({ column: column.name, level, at: at++ }));
    }
    // D parts of an ilr composition have D − 1 coordinates.
    if (column.transform === 'ilr' && !composed) composed = true;
    else at++;
    return [];
  });
}
