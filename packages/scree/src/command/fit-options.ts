import type { AnalyzeOptions } from '@scree/analysis';
import { UsageError } from './usage-error.js';

/** Flags with the same name as an option of `pca`. */
export const PCA_FLAGS = ['scale', 'whiten', 'ddof', 'solver', 'engine', 'threads', 'seed', 'tolerance'] as const;
export const COUNT_FLAGS = ['components', 'variance', 'all'] as const;

/** The options of `pca` from the flags. */
export function fitOptions(flags: Readonly<Record<string, unknown>>): Omit<AnalyzeOptions, 'missing'> {
  const counts = COUNT_FLAGS.filter((name) => flags[name] !== undefined);
  if (counts.length > 1) throw new UsageError(`--${counts[0]} and --${counts[1]} exclude one another.`);
  const k = flags.all ? 'all' : (flags.components ?? flags.variance);
  // Log-ratios do not scale columns: see `methodOf`.
  const given = PCA_FLAGS.filter(
    (name) => flags[name] !== undefined && !['clr', 'ilr'].includes(flags[name] as string),
  );
  const named = given.map((name) => [name, flags[name]]);
  return {
    ...Object.fromEntries(named),
    ...(k === undefined ? {} : { k: k as NonNullable<AnalyzeOptions['k']> }),
    ...(flags['no-center'] ? { center: false } : {}),
  };
}
