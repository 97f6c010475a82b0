import type { Matrix } from '../data/blocks/matrix.js';
import { describeValue, OptionError } from '../errors.js';
import { dot, norm, scale } from '../linalg/vector.js';
import type { FitFacts } from './finish.js';

/** A direction that is this close to orthogonal to a component does not decide its sign. */
const ORTHOGONAL = 1e-8;

/** The options that choose the signs of components. */
export interface Orientation {
  readonly signs?: { readonly components: Matrix } | ArrayLike<number> | undefined;
  readonly axes?: 'right-handed' | undefined;
  /** The option k, in any of its forms. */
  readonly k?: unknown;
}

/**
 * Returns the function of `FitFacts` that flips components.
 *
 * `signs` as a model: component i gets a positive product with component i of that model. `signs` as a direction w in the units of the
 * columns: scores rise along w, v·(w/scale) > 0. A component that has no counterpart, or is orthogonal to it, keeps its sign. `axes`: the
 * last of three axes is flipped if the determinant is negative.
 */
export function orientation({ signs, axes, k: wanted }: Orientation, d: number): NonNullable<FitFacts['orient']> {
  if (axes && d !== 3) {
    throw new OptionError(
      'BAD_OPTION',
      `axes: 'right-handed' is for three columns, x, y and z, and these data have ${d}. Leave it out.`,
      { option: 'axes', value: d, expected: 3 },
    );
  }
  if (axes && typeof wanted === 'number' && wanted >= 1 && wanted !== 3) {
    throw new OptionError(
      'BAD_OPTION',
      `axes: 'right-handed' needs all three components, and k is ${wanted}. Use k: 3, or leave axes out.`,
      { option: 'axes', value: wanted, expected: 3 },
    );
  }
  const referenceOf = signs && referencesOf(signs, d);
  return (basis, k, divisors) => {
    for (let c = 0; c < k; c++) {
      const reference = referenceOf?.(c, divisors);
      const cosine = reference ? dot(basis, c * d, reference, 0, d) / norm(reference) : 0;
      if (cosine < -ORTHOGONAL) scale(-1, basis, c * d, d);
    }
    if (axes && k === 3 && determinant(basis) < 0) scale(-1, basis, 6, 3);
  };
}

/** The vector that component c should point along, in the scaled units of the components. */
type References = (c: number, divisors: Float64Array) => Float64Array | undefined;

function referencesOf(signs: NonNullable<Orientation['signs']>, d: number): References {
  if ('components' in signs) {
    const { rows, cols, data, stride = cols } = signs.components;
    checkWidth('The components of signs have', cols, d);
    return (c) => (c < rows ? Float64Array.from(data.subarray(c * stride, c * stride + cols)) : undefined);
  }
  checkWidth('signs has', signs.length, d);
  const vector = Float64Array.from(signs);
  if (!vector.every(Number.isFinite) || norm(vector) === 0) {
    throw new OptionError(
      'BAD_OPTION',
      `signs must be a direction: finite numbers that are not all 0, not ${describeValue(signs)}.`,
      { option: 'signs' },
    );
  }
  return (_, divisors) => vector.map((value, j) => value / divisors[j]);
}

function checkWidth(what: string, found: number, d: number): void {
  if (found === d) return;
  throw new OptionError('BAD_OPTION', `${what} ${found} columns, but the data have ${d}. Use the same columns.`, {
    option: 'signs',
    value: found,
    expected: d,
  });
}

/** The determinant of a 3 × 3 matrix. */
function determinant(m: Float64Array): number {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}
