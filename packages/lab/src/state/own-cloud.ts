import { signal } from '@preact/signals';
import type { Matrix } from '@scree/core';

/** The user's own data as Learn can draw them: scores on the first components, of at most a few hundred rows. */
export interface OwnCloud {
  readonly name: string;
  /** Rows spread evenly over the data; up to three columns, in the units of the (scaled) data. */
  readonly points: Matrix<Float64Array>;
}

/** What was explored last; undefined before any data were. */
export const ownCloud = signal<OwnCloud | undefined>(undefined);
