import type { NotComputed } from '@scree/analysis';
import type { Model } from '@scree/core';
import { modelFrom } from '@scree/core/exchange';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { fitOptions } from './fit-options.js';
import { encodingFlag } from './method.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { withFile } from './with-file.js';

/** Flags that need rows, which a covariance matrix does not have. */
const ROW_FLAGS = [
  ...['by', 'between', 'bootstrap', 'checkpoint', 'every', 'no-center', 'solver', 'engine', 'weight', 'label', 'name'],
  ...['color', 'missing', 'column-weights', 'sketch', 'seed', 'tolerance'],
];

/** `scree fit --covariance`: the model of a covariance or correlation matrix in a file. */
export async function fitCovarianceFile(
  { positionals, flags, signal }: Call,
  terminal: Terminal,
): Promise<{ readonly model: Model; readonly seconds: number; readonly notComputed: NotComputed }> {
  const path = flags.covariance as string;
  if (positionals.length > 0)
    throw new UsageError(`--covariance ${path} is analysed instead of rows: leave ${positionals[0]} out.`);
  const flag =
    encodingFlag(flags) ?? ROW_FLAGS.filter((name) => flags[name] !== undefined).map((name) => `--${name}`)[0];
  if (flag) throw new UsageError(`${flag} needs rows, and --covariance ${path} has none: leave one of them out.`);
  const { k, scale, whiten, ddof } = fitOptions(flags);
  if (typeof k === 'string' && k !== 'all')
    throw new UsageError(`-k ${k} needs rows, and --covariance ${path} has none: use a number, --variance or --all.`);
  if (scale !== undefined && scale !== 'none' && scale !== 'unit')
    throw new UsageError(
      `--scale ${String(scale)} needs rows: a covariance matrix is analysed as it is, or with --scale unit.`,
    );
  const threads = flags.threads as number | undefined;
  return withFile(path, fileOptions(flags, signal), async (file) => {
    const start = performance.now();
    const model = await modelFrom(
      { covariance: file.source, n: flags.rows as number | undefined, k, scale, whiten, ddof },
      { signal, onProgress: terminal.onProgress, ...(threads === undefined ? {} : { threads }) },
    );
    terminal.clear();
    const why = { code: 'UNSUITABLE', message: 'A covariance matrix has no rows.' } as const;
    return {
      model,
      seconds: (performance.now() - start) / 1000,
      notComputed: { choice: why, stability: why },
    };
  });
}
