import type { ProgressBar } from './progress-bar.js';

/** The function that each figure's file exports: it computes, draws, and returns its measurements. */
export type Draw = (progress: ProgressBar) => Promise<Figure>;

export interface Figure {
  readonly svg: string;
  /** Sentences with the measured numbers, to be printed. */
  readonly measurements: readonly string[];
  /** A page of docs/ that shows the figure, and the text for between its two lines `<!-- measured -->`. */
  readonly page?: { readonly file: string; readonly text: string };
  /** The folder of docs/ that the figure belongs to; default `figures` where there is a page, else `learn/figures`. */
  readonly folder?: string;
  /** Why the result is not acceptable, if it is not. */
  readonly failure?: string;
}
