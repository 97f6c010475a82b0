import { OptionError } from '@scree/core';
import type { VectorMetric, VectorSearch, VectorStore } from './query/query-model.js';

/** Names in the database. */
export interface SqlOptions {
  /** Default `'items'`. */
  readonly table?: string | undefined;
  /** The column that identifies rows. Default `'id'`. */
  readonly id?: string | undefined;
  /** The column of stored vectors. Default `'reduced'`. */
  readonly column?: string | undefined;
  /** The column of embeddings, for re-ranking. Default `'embedding'`. */
  readonly embedding?: string | undefined;
  /** Number of neighbours. Default 10. */
  readonly limit?: number | undefined;
}

/** Statements for Postgres with pgvector. OpenVectors are parameters in the form of `vectorText`. */
export interface VectorSql {
  /** The type of the column, such as `halfvec(256)`. */
  readonly type: string;
  /** Adds the column to a table. */
  readonly column: string;
  /** Stores one vector: $1 is the id, $2 the stored vector. */
  readonly store: string;
  /** An HNSW index. Undefined if pgvector cannot index k numbers. */
  readonly index: string | undefined;
  /** The nearest rows: $1 is the stored vector of the query. */
  readonly query: string;
  /** The nearest of five times as many candidates by their embeddings: $2 is the embedding of the query. */
  readonly rerank: string;
  /** Differences between these columns and the measured vectors. */
  readonly notes: readonly string[];
}

const TYPES = {
  float32: { type: 'vector', most: 2000 },
  float16: { type: 'halfvec', most: 4000 },
  int8: { type: 'halfvec', most: 4000 },
  bit: { type: 'bit', most: 64_000 },
} as const satisfies Record<VectorStore, unknown>;
const OPERATORS = {
  cosine: ['<=>', 'cosine'],
  dot: ['<#>', 'ip'],
  l2: ['<->', 'l2'],
  hamming: ['<~>', 'hamming'],
} as const;

/** The properties of stored vectors that statements depend on. */
export interface SqlVectors {
  readonly d: number;
  readonly k: number;
  readonly store: VectorStore;
  readonly metric: VectorMetric;
  readonly search: VectorSearch;
}

/** Statements for stored vectors: a column, an index, and queries with and without re-ranking. */
export function vectorSql({ d, k, store, metric, search }: SqlVectors, options: SqlOptions = {}): VectorSql {
  const { limit = 10 } = options;
  if (!(Number.isSafeInteger(limit) && limit >= 1))
    throw new OptionError('BAD_OPTION', `limit is ${limit}; it must be a whole number from 1 up.`, {
      option: 'limit',
      value: limit,
    });
  const [table, id, column, embedding] = (['items', 'id', 'reduced', 'embedding'] as const).map((name) =>
    identifier(options[name === 'items' ? 'table' : name === 'reduced' ? 'column' : name] ?? name),
  );
  const { type: name, most } = TYPES[store];
  const type = `${name}(${k})`;
  const [operator, ops] = OPERATORS[search];
  const nearest = (count: number, columns: string): string =>
    `SELECT ${columns} FROM ${table} ORDER BY ${column} ${operator} $1::${type} LIMIT ${count}`;
  const [original] = OPERATORS[metric];
  return {
    type,
    column: `ALTER TABLE ${table} ADD COLUMN ${column} ${type};`,
    store: `UPDATE ${table} SET ${column} = $2::${type} WHERE ${id} = $1;`,
    index: k <= most ? `CREATE INDEX ON ${table} USING hnsw (${column} ${name}_${ops}_ops);` : undefined,
    query: `${nearest(limit, id)};`,
    rerank: `SELECT ${id} FROM (${nearest(5 * limit, `${id}, ${embedding}`)}) AS candidates ORDER BY ${embedding} ${original} $2::vector(${d}) LIMIT ${limit};`,
    notes: [
      ...(store === 'int8' ? ['pgvector has no int8. halfvec holds the same whole numbers in two bytes each.'] : []),
      ...(k > most ? [`pgvector indexes ${name} of up to ${most} numbers, and these vectors have ${k}.`] : []),
    ],
  };
}

/** A name as SQL reads it: quoted unless it is a plain word. */
function identifier(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name)) return name;
  return `"${name.replaceAll('"', '""')}"`;
}
