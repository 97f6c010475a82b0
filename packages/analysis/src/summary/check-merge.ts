import { DataError } from '@scree/core';
import { describeValue } from '@scree/core/pipeline';
import type { SummaryHeader } from './summary-header.js';

/** The header of a summary, and its name in messages. */
interface NamedHeader {
  readonly name?: string;
  readonly header: SummaryHeader;
}

/** Refuses summaries that do not belong to one table: other columns, weights in some only, a part that occurs twice. */
export function checkMerge(inputs: readonly NamedHeader[], allowDuplicates: boolean): void {
  const [first] = inputs;
  const seen = new Map<string, string>();
  for (const input of inputs) {
    refuseOther(first, input);
    for (const { fingerprint, name } of input.header.parts) {
      const before = seen.get(fingerprint);
      const where = `${name}${input.name === undefined ? '' : ` in ${input.name}`}`;
      if (before !== undefined && !allowDuplicates) {
        throw new DataError(
          'BAD_DATA',
          `The same rows are there twice: ${where}, and ${before}. Leave one of them out; where two parts really have the same rows, allow duplicates.`,
          { reason: 'repeated-part', value: where, expected: before, ...(input.name ? { path: input.name } : {}) },
        );
      }
      seen.set(fingerprint, where);
    }
  }
}

function refuseOther(first: NamedHeader, other: NamedHeader): void {
  const [a, b] = [first.header, other.header];
  const [one, two] = [callOf(first), callOf(other)];
  const path = other.name === undefined ? {} : { path: other.name };
  if (a.cols !== b.cols) {
    const message = `${two} has ${b.cols} columns, and ${one} has ${a.cols}. Sum up the same columns of every part.`;
    throw new DataError('WIDTH_MISMATCH', message, { value: b.cols, expected: a.cols, ...path });
  }
  const [names, others] = [a.columnNames ?? [], b.columnNames ?? []];
  const j = Array.from({ length: a.cols }).findIndex((_, at) => names[at] !== others[at]);
  if (j >= 0) {
    const same = others.length === names.length && others.every((name) => names.includes(name));
    const what = same ? 'the same columns in another order' : 'other columns';
    const called = (name: string | undefined): string =>
      name === undefined ? 'has no name' : `is ${describeValue(name)}`;
    throw new DataError(
      'MISSING_COLUMN',
      `${two} has ${what} than ${one}: its column ${j + 1} ${called(others[j])}, there it ${called(names[j])}. Choose the columns of every part by name, in one order.`,
      { column: j, columnName: others[j] ?? String(j), expected: names[j] ?? String(j), ...path },
    );
  }
  const differing = (['kind', 'weighted', 'replicates', 'seed'] as const).find(
    (name) => a[name] !== b[name] && !(name === 'seed' && a.replicates === 0),
  );
  if (differing === undefined) return;
  const has: Record<typeof differing, (header: SummaryHeader) => string> = {
    kind: ({ kind }) => (kind === 'moments' ? 'moments' : 'a sketch'),
    weighted: ({ weighted }) => (weighted ? 'rows with weights' : 'rows without weights'),
    replicates: ({ replicates }) => (replicates === 0 ? 'no bootstrap' : `${replicates} replicates of a bootstrap`),
    seed: ({ seed }) => `replicates of seed ${seed}`,
  };
  throw new DataError(
    'BAD_DATA',
    `${two} has ${has[differing](b)}, and ${one} has ${has[differing](a)}. Sum up every part in the same way.`,
    { reason: 'other-summary', value: b[differing], expected: a[differing], ...path },
  );
}

function callOf({ name, header }: NamedHeader): string {
  return name ?? `The summary of ${header.parts[0]?.name ?? 'no rows'}`;
}
