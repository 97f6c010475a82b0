import type { ProgressBar } from './progress-bar.js';

/** What a figure's file exports: it computes, draws, and tells what it measured. */
export type Draw = (progress: ProgressBar) => Promise<Figure>;

export interface Figure {
  readonly svg: string;
  /** Numbers to be printed, in words. */
  readonly told: readonly string[];
  /** A page of docs/ that shows it, with text to be put between its two lines `<!-- measured -->`. */
  readonly page?: { readonly file: string; readonly text: string };
  /** What did not come out as it must. */
  readonly failure?: string;
}
