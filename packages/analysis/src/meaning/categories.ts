import { type Encoding, type Model, OptionError } from '@scree/core';
import type { CategoryColumn } from '@scree/core/data';
import { offsetsOf } from '@scree/core/data';
import { checkModel } from '../check-model.js';
import { columnContributions } from './column-contributions.js';

/** A level of a category and the components; each list has one entry per component. */
export interface CategoryLevel {
  readonly level: string;
  readonly share: number;
  /** Mean score of the rows that have the level. */
  readonly center: readonly number[];
  /** The mean score in deviations of the scores: the principal coordinate of the level in correspondence analysis. */
  readonly coordinate: readonly number[];
  /** Distance of the mean score from zero, in standard errors of the mean score of as many random rows. */
  readonly vTest: readonly number[];
  /** Share of the variance of the level's indicator that the component explains. */
  readonly cos2: readonly number[];
  /** Percentage of the component's variance that the level contributes. */
  readonly contribution: readonly number[];
}

/** A category of the fit and the components. */
export interface Category {
  readonly column: string;
  /** Share of each component's variance that lies between the levels: the squared correlation ratio. */
  readonly eta2: readonly number[];
  /** Percentage of each component's variance that the levels contribute together. */
  readonly contribution: readonly number[];
  readonly levels: readonly CategoryLevel[];
}

/**
 * The categories of a model by `mca`, `famd` or `mfa`. With component vᵢ of variance λᵢ, divisor sⱼ and share pⱼ of level j:
 *
 *   center = sⱼ·λᵢ·vᵢⱼ/pⱼ,  coordinate = center/√λᵢ,  vTest = coordinate·√((n − 1)·pⱼ/(1 − pⱼ)),  η² = Σⱼ pⱼ·coordinate².
 *
 * The model is enough; no row is read. A row whose missing value counts as the mean belongs to every level by its share.
 */
export function categories(model: Model): Category[] {
  checkModel(model);
  const encoding = encodingOf(model, ['mca', 'famd', 'mfa']);
  const offsets = offsetsOf(encoding);
  const columns = columnContributions(model);
  return encoding.columns.flatMap((column, at) => {
    if (column.kind !== 'category') return [];
    const levels = column.levels.map((_, l) => levelOf(model, column, l, offsets[at] + l, columns));
    const sum = (value: (level: CategoryLevel, i: number) => number): number[] =>
      Array.from({ length: model.k }, (_, i) => levels.reduce((total, level) => total + value(level, i), 0));
    return [
      {
        column: column.name,
        eta2: sum(({ share, coordinate }, i) => share * coordinate[i] ** 2).map((share) => Math.min(1, share)),
        contribution: sum(({ contribution }, i) => contribution[i]),
        levels,
      },
    ];
  });
}

function levelOf(
  { k, d, components, variances, scale, totalWeight }: Model,
  { levels, shares }: CategoryColumn,
  level: number,
  j: number,
  columns: ReturnType<typeof columnContributions>,
): CategoryLevel {
  const share = shares[level];
  const coordinate = Array.from(
    { length: k },
    (_, i) => (scale[j] * Math.sqrt(variances[i]) * components.data[i * d + j]) / share,
  );
  const { cos2, contribution } = columns[j];
  return {
    level: levels[level],
    share,
    center: coordinate.map((value, i) => value * Math.sqrt(variances[i])),
    coordinate,
    vTest: coordinate.map((value) => value * Math.sqrt(((totalWeight - 1) * share) / (1 - share))),
    cos2,
    contribution,
  };
}

/** The part of a group in the components of MFA; each list has one entry per component. */
export interface MfaGroupPart {
  readonly name: string;
  readonly columns: readonly string[];
  /** First eigenvalue of the group's own analysis. Its columns are divided by the root of it. */
  readonly eigenvalue: number;
  /** Variance of the component that comes from the group, from 0 to 1 (Lg). */
  readonly coordinate: readonly number[];
  /** The same as a percentage of the component's variance. */
  readonly contribution: readonly number[];
}

/** The groups of a model by `mfa`: coordinate = λᵢ·Σvᵢⱼ² over the columns of the group. */
export function mfaGroups(model: Model): MfaGroupPart[] {
  const encoding = encodingOf(model, ['mfa']);
  const { k, d, components, variances } = model;
  const offsets = offsetsOf(encoding);
  let first = 0;
  return (encoding.groups ?? []).map(({ name, columns: count, eigenvalue }) => {
    const own = encoding.columns.slice(first, first + count);
    const [from, to] = [offsets[first], offsets[first + count]];
    first += count;
    const shares = Array.from({ length: k }, (_, i) => {
      let sum = 0;
      for (let j = from; j < to; j++) sum += components.data[i * d + j] ** 2;
      return sum;
    });
    return {
      name,
      columns: own.map((column) => column.name),
      eigenvalue: own.every(({ kind }) => kind === 'category') ? eigenvalue / count : eigenvalue,
      coordinate: shares.map((share, i) => share * variances[i]),
      contribution: shares.map((share) => 100 * share),
    };
  });
}

/** Inertias of MCA, corrected for the variance that indicators of Q columns add. */
export interface AdjustedInertias {
  /** (Q/(Q − 1))²·(λ − 1/Q)² for every component with λ > 1/Q, the others have none (Benzécri 1979). */
  readonly inertias: readonly number[];
  /** Shares of their sum, which are too large; null if the model does not have all components with λ > 1/Q. */
  readonly benzecri: readonly number[] | null;
  /** Shares of the average inertia of the pairs of columns; null if the model does not have all variances (Greenacre 1993). */
  readonly greenacre: readonly number[] | null;
}

/** Adjusted inertias of a model by `mca`. The shares of its variances are far too small. */
export function adjustedInertias(model: Model): AdjustedInertias {
  checkModel(model);
  const { columns } = encodingOf(model, ['mca']);
  const { spectrum, variances, d } = model;
  const q = columns.length;
  if (q < 2) {
    throw new OptionError(
      'BAD_OPTION',
      'Adjusted inertias are those of pairs of columns, and the model has one column.',
    );
  }
  const all = Array.from(spectrum ?? variances);
  // Unrelated columns have variances of 1/Q, within rounding.
  const above = (value: number): boolean => value > (1 / q) * (1 + 1e-12);
  const adjusted = (value: number): number => ((q / (q - 1)) * (value - 1 / q)) ** 2;
  const inertias = Array.from(variances).filter(above).map(adjusted);
  const complete = spectrum !== undefined || !above(variances[variances.length - 1]);
  const sum = all.filter(above).reduce((total, value) => total + adjusted(value), 0);
  const squares = all.reduce((total, value) => total + value * value, 0);
  const whole = (q / (q - 1)) * (squares - (d - q) / (q * q));
  const shares = (total: number): number[] => inertias.map((value) => (total > 0 ? value / total : 0));
  const rest = model.totalVariance - all.reduce((total, value) => total + value, 0);
  return {
    inertias,
    benzecri: complete ? shares(sum) : null,
    greenacre: spectrum !== undefined || rest <= 1e-12 * model.totalVariance ? shares(whole) : null,
  };
}

function encodingOf({ coding: encoding }: Model, methods: readonly Encoding['method'][]): Encoding {
  if (encoding && methods.includes(encoding.method)) return encoding;
  throw new OptionError(
    'BAD_OPTION',
    `This is for models of ${methods.join(', ')}, and the model is one of ${encoding?.method ?? 'pca'}.`,
    {
      option: 'model',
    },
  );
}
