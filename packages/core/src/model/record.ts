import type { Matrix } from '../data/matrix.js';
import type { DType } from '../data/rows.js';
import { ModelError } from '../errors.js';
import { orthonormalityDefect } from '../linalg/orthonormalise.js';
import type { Whiten } from '../options.js';
import type { Plan } from '../plan.js';
import type { Certificate } from './certificate.js';
import type { Uniqueness } from './uniqueness.js';
import type { Warning } from './warning.js';

/** Everything a model is. */
export interface ModelRecord {
  /** k × d, one component a row, orthonormal, most variance first, the largest entry of each positive. */
  readonly components: Matrix<Float64Array>;
  /** What is subtracted from each column; zeros when data were not centred. */
  readonly mean: Float64Array;
  /** What each column is divided by. */
  readonly scale: Float64Array;
  /** Variance along each component: λ, eigenvalues of the covariance of the scaled data. */
  readonly variances: Float64Array;
  /** variances / totalVariance. */
  readonly varianceRatios: Float64Array;
  /** Variance of all columns together: tr C. */
  readonly totalVariance: number;
  /** Singular values of the centred, scaled, weighted data: σ = √(λ·(Σw − ddof)). */
  readonly singularValues: Float64Array;
  /** Mean variance of the d − k directions left out: σ² of probabilistic PCA (Tipping & Bishop 1999). */
  readonly noiseVariance: number;
  /** Rows the model was fitted to, not counting rows of weight 0. */
  readonly n: number;
  /** Σw; n when rows had no weights. */
  readonly totalWeight: number;
  readonly ddof: number;
  readonly centered: boolean;
  readonly whiten: Whiten;
  readonly columnNames?: readonly string[];
  /** What the data were stored as. */
  readonly dtype: DType;
  readonly plan: Plan;
  readonly certificate: Certificate;
  readonly uniqueness: Uniqueness;
  readonly warnings: readonly Warning[];
}

/** The vectors of a record, with the length each must have: the one list that checking and storing go by. */
export const VECTORS = [
  ['mean', 'd'],
  ['scale', 'd'],
  ['variances', 'k'],
  ['varianceRatios', 'k'],
  ['singularValues', 'k'],
] as const satisfies readonly (readonly [keyof ModelRecord, 'd' | 'k'])[];

/** Refuses a record that cannot be a model, naming what is wrong with it. */
export function checkRecord(record: ModelRecord): void {
  const { components, mean } = record;
  const [k, d] = [components.rows, components.cols];
  demand(Number.isSafeInteger(k) && k >= 1 && Number.isSafeInteger(d) && d >= k, `components cannot be ${k} × ${d}`);
  demand(components.data.length === k * d, `components have ${components.data.length} numbers, not ${k} × ${d}`);
  demand(components.data.every(Number.isFinite), 'components hold a value that is not finite');
  for (const [name, size] of VECTORS) {
    const length = size === 'd' ? d : k;
    demand(record[name].length === length, `${name} has ${record[name].length} numbers, not ${length}`);
    demand(record[name].every(Number.isFinite), `${name} holds a value that is not finite`);
  }
  demand(
    record.scale.every((s) => s > 0),
    'scale holds a value that is not positive',
  );
  for (let i = 0; i < k; i++) {
    demand(record.variances[i] >= 0, `variance ${i} is negative`);
    demand(i === 0 || record.variances[i] <= record.variances[i - 1], `variances rise at ${i}`);
  }
  const numbers = {
    totalVariance: record.totalVariance,
    noiseVariance: record.noiseVariance,
    n: record.n,
    ddof: record.ddof,
  };
  for (const [name, value] of Object.entries(numbers)) {
    demand(Number.isFinite(value) && value >= 0, `${name} is ${value}`);
  }
  demand(
    record.totalWeight - record.ddof > 0,
    `totalWeight ${record.totalWeight} leaves nothing after ddof ${record.ddof}`,
  );
  demand(record.centered || mean.every((m) => m === 0), 'mean is not zero although data were not centred');
  demand(record.whiten === false || record.whiten === 'pca' || record.whiten === 'zca', `whiten is ${record.whiten}`);
  const names = record.columnNames;
  demand(names === undefined || names.length === d, `columnNames has ${names?.length} names for ${d} columns`);
  demand(record.certificate.residuals.length === k, 'the certificate is not one of these components');
  demand(record.uniqueness.axes.length === k, 'uniqueness does not speak of these components');
  const defect = orthonormalityDefect(components.data, k, d);
  demand(defect < 1e-6, `components are not orthonormal: off by ${defect}`);
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new ModelError('BAD_MODEL', `This is not a model: ${what}.`);
}
