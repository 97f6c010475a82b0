import { type Certificate, type Engine, Model, type ModelRecord } from '@scree/core';
import type { StoredType } from '../disk/stored-type.js';
import { NotLines, packLines, unpackLines } from './integers.js';
import { nearestOrthonormal, type StoredBasis } from './products.js';
import { fromUpperHalf, upperHalf } from './quantise.js';

/**
 * The model in a compressed file. If there are few rows, the components take most of the file, so they are rounded too. An error
 * of ε in every entry of component c adds about d·ε²·λ_c to the squared error of a row. The steps are therefore proportional to
 * 1/√λ_c: each component adds the same. Reading makes the components orthonormal again, and rows are projected on
 * these rounded components. So an error inside the space that they span costs nothing.
 *
 * | bytes      | content                                                          |
 * |------------|------------------------------------------------------------------|
 * | 16·k       | variances, singular values: float64                              |
 * | 4·d or 8·d | mean: float32 if that holds the type of the data, else float64    |
 * | 4·d        | scale: upper halves of float64                                   |
 * | 4·k        | steps of the components: upper halves of float64                 |
 * | …          | components in their steps, packed (integers.ts)                  |
 */

/** Squared error that rounding the components may add, as a share of the squared error from rounding the scores. */
const SHARE = 0.1;
/** Coarsest step, times √d. Rows with an error of a tenth can still be made orthonormal. */
const COARSEST = 0.5;
const FINEST = 2 ** -40;

export interface StoredModel {
  readonly bytes: Uint8Array;
  /** The model without its arrays, stored as JSON. */
  readonly metadata: ModelMetadata;
  /** The basis that a reader will compute from the bytes. */
  readonly basis: StoredBasis;
}

export type ModelMetadata = Omit<
  ModelRecord,
  'components' | 'mean' | 'scale' | 'variances' | 'varianceRatios' | 'singularValues' | 'trace' | 'columnNames'
>;

/** Standard deviation along each component. Computed from the singular values, because variances may underflow. */
export function storedDeviations({ singularValues, totalWeight, ddof }: ModelRecord): Float64Array {
  const divisor = Math.sqrt(totalWeight - ddof);
  return singularValues.map((value) => value / divisor);
}

/** Square root of the total variance. Correct even if the total variance underflows. */
export function totalDeviation(model: ModelRecord): number {
  const kept = Math.hypot(...storedDeviations(model));
  return Math.max(kept, Math.sqrt(model.totalVariance));
}

/** Stores a model. `noise` is the variance that rounding adds to all scores together, as a share of the total. */
export async function storeModel(
  model: Model,
  noise: number,
  stored: StoredType,
  engine: Engine,
): Promise<StoredModel> {
  const { k, d } = model;
  const deviations = storedDeviations(model);
  const total = totalDeviation(model);
  const single = fitsFloat32(stored);
  const mean = single ? Float64Array.from(model.mean, Math.fround) : model.mean;
  const scaleWords = Uint32Array.from(model.scale, upperHalf);
  const scale = Float64Array.from(scaleWords, fromUpperHalf);
  // If the rounded rows are too far from orthonormal to be corrected, a finer step is tried.
  for (let coarsest = COARSEST / Math.sqrt(d); ; coarsest /= 8) {
    const stepWords = Uint32Array.from(deviations, (deviation) => {
      const allowed = (total / deviation) * Math.sqrt((12 * SHARE * noise) / (k * d));
      return upperHalf(Math.max(FINEST, Math.min(coarsest, allowed)) || coarsest);
    });
    const steps = Float64Array.from(stepWords, fromUpperHalf);
    const values = model.components.data.map((value, at) => Math.round(value / steps[Math.floor(at / d)]));
    const back = values.map((value, at) => value * steps[Math.floor(at / d)]);
    const near = await nearestOrthonormal(back, k, d, engine);
    const turn = near && turns(near.components, model.components.data, k, d);
    if (!(near && turn && turn.all < 0.5 * Math.sqrt(k)) && coarsest > FINEST) continue;
    if (!near || !turn) throw new RangeError('The components of the model are not orthonormal.');
    const packed = await packLines({ values, lines: k, length: d, signed: true }, true);
    const bytes = Buffer.concat([
      bytesOf(model.variances),
      bytesOf(model.singularValues),
      bytesOf(single ? Float32Array.from(mean) : mean),
      bytesOf(scaleWords),
      bytesOf(stepWords),
      packed,
    ]);
    return {
      bytes,
      metadata: metadataOf(model, widened(model.certificate, turn, near.defect)),
      basis: { components: near.components, k, d, mean, scale },
    };
  }
}

/** Restores the model and its basis. Throws if the bytes or the metadata are invalid. */
export async function readStoredModel(
  bytes: Uint8Array,
  metadata: ModelMetadata,
  shape: {
    readonly k: number;
    readonly d: number;
    readonly dtype: StoredType;
    readonly columnNames?: readonly string[];
  },
  engine: Engine,
): Promise<{ readonly model: Model; readonly basis: StoredBasis }> {
  const { k, d, dtype, columnNames } = shape;
  const single = fitsFloat32(dtype);
  const sizes = [8 * k, 8 * k, single ? 4 * d : 8 * d, 4 * d, 4 * k];
  const fixed = sizes.reduce((sum, size) => sum + size, 0);
  // There are at most eight numbers per byte, so a false shape is rejected before memory is allocated for it.
  if (!(fixed + 4 < bytes.length && k * d <= 8 * (bytes.length - fixed)))
    throw new NotLines(`${bytes.length} bytes cannot hold a model of ${k} components and ${d} columns`);
  let at = 0;
  const [variances, singularValues, mean, scaleWords, stepWords] = sizes.map((size) => {
    // A copy, because typed arrays must be aligned.
    const part = bytes.slice(at, at + size).buffer;
    at += size;
    return part;
  });
  const steps = Float64Array.from(new Uint32Array(stepWords), fromUpperHalf);
  const values = await unpackLines(bytes.subarray(fixed), { lines: k, length: d, signed: true }, true);
  for (let c = 0, i = 0; c < k; c++) for (let j = 0; j < d; j++, i++) values[i] *= steps[c];
  const near = await nearestOrthonormal(values, k, d, engine);
  if (!near) throw new NotLines('its components are far from orthonormal');
  const spread = new Float64Array(variances);
  const basis: StoredBasis = {
    components: near.components,
    k,
    d,
    mean: Float64Array.from(single ? new Float32Array(mean) : new Float64Array(mean)),
    scale: Float64Array.from(new Uint32Array(scaleWords), fromUpperHalf),
  };
  const model = new Model({
    ...metadata,
    components: { rows: k, cols: d, data: near.components },
    mean: basis.mean,
    scale: basis.scale,
    variances: spread,
    varianceRatios: spread.map((variance) =>
      metadata.totalVariance > 0 ? Math.min(1, variance / metadata.totalVariance) : 0,
    ),
    singularValues: new Float64Array(singularValues),
    ...(columnNames ? { columnNames } : {}),
  });
  return { model, basis };
}

/** Returns true if float32 represents all numbers of a type exactly. */
function fitsFloat32(type: StoredType): boolean {
  return type !== 'float64' && type !== 'int32' && type !== 'uint32';
}

interface Turns {
  /** ‖v̂ − v‖ of each component. */
  readonly each: readonly number[];
  /** ‖V̂ − V‖, Frobenius. */
  readonly all: number;
}

function turns(near: Float64Array, exact: Float64Array, k: number, d: number): Turns {
  const squares = Array.from({ length: k }, (_, c) => {
    let sum = 0;
    for (let i = c * d; i < (c + 1) * d; i++) sum += (near[i] - exact[i]) ** 2;
    return sum;
  });
  return { each: squares.map(Math.sqrt), all: Math.sqrt(squares.reduce((sum, square) => sum + square, 0)) };
}

/**
 * The certificate of components that were changed by δ = ‖v̂ − v‖. ‖C − λI‖ ≤ λ₁, so the residual grows by at most δ, and an
 * angle by 2·asin(δ/2). The variances do not change.
 */
function widened(certificate: Certificate, { each, all }: Turns, defect: number): Certificate {
  const right = Math.PI / 2;
  const more = 1 + 1e-9;
  return {
    residuals: certificate.residuals.map((residual, c) => residual + more * each[c]),
    varianceBounds: certificate.varianceBounds,
    angleBounds: certificate.angleBounds.map((angle, c) => Math.min(right, angle + 2 * more * Math.asin(each[c] / 2))),
    subspaceAngleBound: Math.min(right, certificate.subspaceAngleBound + Math.asin(Math.min(1, more * all))),
    orthonormality: defect,
  };
}

function metadataOf(model: Model, certificate: Certificate): ModelMetadata {
  const { totalVariance, noiseVariance, n, totalWeight, ddof, centered, whiten, dtype, plan, uniqueness, warnings } =
    model;
  return {
    totalVariance,
    noiseVariance,
    n,
    totalWeight,
    ddof,
    centered,
    whiten,
    dtype,
    plan,
    certificate,
    uniqueness,
    warnings,
  };
}

function bytesOf(values: Float64Array | Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
