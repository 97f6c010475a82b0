import type { Matrix } from 'scree';

/** Somebody who can fit the workload at hand. */
export interface Contender {
  readonly name: string;
  /** `solver`: scree with a fixed solver, there to judge the plan; `ceiling`: no PCA at all, but what bounds it. */
  readonly group: 'scree' | 'solver' | 'scikit-learn' | 'javascript' | 'ceiling';
  /** scree's engine. */
  readonly engine?: string;
  /** Fits so many times and gives the seconds of one: tiny problems are too short for one reading of the clock. */
  fit(repeat: number): Promise<Fit>;
}

/** One fit: how long it took and, for the measure of accuracy, what came out. */
export interface Fit {
  readonly seconds: number;
  /** The solver it chose. */
  readonly solver?: string;
  /** What else must be known of how this was measured. */
  readonly note?: string;
  readonly variances?: ArrayLike<number>;
  readonly components?: Matrix;
  /** scree's own estimate of what each solver costs. */
  readonly costs?: Readonly<Record<string, number>>;
}
