import { monitor, type RowLimits, withoutEncoding } from '@scree/analysis';
import type { Matrix, Model } from '@scree/core';
import { scoreNames } from '@scree/core/data';
import type { OutputColumn } from '../disk/write-file.js';
import type { Call } from './command.js';
import { UsageError } from './usage-error.js';

/** What --with can name. */
export const COMPUTED_NAMES = ['scores', 't2', 'q', 'error', 'flag'] as const;

export type ComputedName = (typeof COMPUTED_NAMES)[number];

/** The columns that a model computes of rows. */
export interface ComputedColumns {
  readonly columns: readonly OutputColumn[];
  /** Computes the columns of some rows. */
  of(rows: Parameters<Model['transform']>[0]): Promise<Matrix>;
}

function isBeyond({ t2, q }: RowLimits, row: { readonly t2: number; readonly q: number }): boolean {
  return (t2 !== null && row.t2 > t2) || (q !== null && row.q > q);
}

/** What --with asks for, in the order of the list. Default: the scores. */
export function columnsWanted({ with: given }: Call['flags']): readonly ComputedName[] {
  return given === undefined ? ['scores'] : (given as ComputedName[]);
}

/**
 * The scores of rows, Hotelling's T², Q (the squared reconstruction error, also under the name error), and a flag that is 1 for a row
 * beyond the 95 % limit of new rows of T² or Q.
 */
export function computedColumns(
  model: Model,
  wanted: readonly ComputedName[],
  { flags, signal }: Pick<Call, 'flags' | 'signal'>,
): ComputedColumns {
  const control = { signal, ...(typeof flags.threads === 'number' ? { threads: flags.threads } : {}) };
  const plain = withoutEncoding(model);
  const whole = model.whiten === 'zca';
  const width = whole ? model.d : model.k;
  const names = wanted.flatMap((name) =>
    name !== 'scores' ? [name] : whole ? Array.from({ length: width }, (_, i) => `c${i}`) : scoreNames(width),
  );
  const columns = names.map((name): OutputColumn => ({ name, kind: 'number' }));
  const scoresOf = (rows: Parameters<Model['transform']>[0]) => plain.transform(rows, { ...control, missing: 'error' });
  if (wanted.length === 1 && wanted[0] === 'scores') return { columns, of: scoresOf };
  return {
    columns,
    async of(rows) {
      const scores = wanted.includes('scores') ? await scoresOf(rows) : undefined;
      const { t2, q, limits } = await monitor(plain, rows, { ...control, reasons: 0 });
      if (wanted.includes('flag') && limits.t2 === null && limits.q === null)
        throw new UsageError(
          'This model has no limits of T² and Q, because it does not say how many rows it was fitted to.',
        );
      const data = new Float64Array(q.length * columns.length);
      let at = 0;
      for (let i = 0; i < q.length; i++) {
        for (const name of wanted) {
          if (name === 'scores') {
            for (let c = 0; scores && c < width; c++) data[at++] = scores.data[i * width + c];
          } else if (name === 't2') data[at++] = t2[i];
          else if (name === 'flag') data[at++] = isBeyond(limits, { t2: t2[i], q: q[i] }) ? 1 : 0;
          else data[at++] = q[i];
        }
      }
      return { rows: q.length, cols: columns.length, data };
    },
  };
}
