import { signal } from '@preact/signals';
import type { Matrix } from '@scree/core';

/** The user's data for Learn: scores of at most a few hundred rows on the first components. */
export interface OwnCloud {
  readonly name: string;
  /** An even sample of rows; up to three columns, in the units of the scaled data. */
  readonly points: Matrix<Float64Array>;
}

/** The data that were explored last; undefined if none were. */
export const ownCloud = signal<OwnCloud | undefined>(undefined);
