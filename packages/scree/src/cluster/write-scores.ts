import { DataError, type Model, type Progress } from '@scree/core';
import { scoreNames } from '@scree/core/data';
import { deviationsOf, scalerOf } from '@scree/core/pipeline';
import { FileError } from '@scree/files';
import { checkFileOptions, openData, uniqueNames } from '@scree/files/platform';
import { hideSecrets } from '../database/hide-secrets.js';
import type { OpenOptions } from '../disk/open-file.js';
import { structJson } from './executor-results.js';
import { alias, column, DOUBLE, mapInArrow, namedTable, saveAsTable, structOf } from './messages.js';
import { pythonFunction } from './spark-rows.js';
import { executorColumns, openSpark, rowCount } from './spark-table.js';

export interface ScoresOptions extends OpenOptions {
  /** The name of the new table. */
  readonly into: string;
  /** The name of a column with the squared reconstruction error of each row. `t2` adds its Hotelling's T². */
  readonly error?: string | undefined;
  readonly t2?: boolean;
  readonly onProgress?: (progress: Progress) => void;
}

export interface WrittenScores {
  readonly rows: number;
  /** Names of the table's columns. */
  readonly columns: readonly string[];
}

/**
 * Writes the scores of a table on Spark into a new table there. The executors compute the scores, and no row is sent here. Columns that the model does not use
 * are written too (if a label is chosen, only the label), because they identify the rows.
 */
export async function writeScores(model: Model, url: string, options: ScoresOptions): Promise<WrittenScores> {
  const { into, error, t2 = false, onProgress, signal, ...reading } = options;
  const checked = checkFileOptions(reading);
  const path = hideSecrets(url);
  if (model.coding) {
    throw new FileError(
      'UNSUPPORTED',
      path,
      'This model transforms or codes columns, which Spark cannot do. Read the rows instead: -o scores.parquet.',
    );
  }
  const { memory, member: table, sql } = checked;
  const spark = await openSpark(url, { memory, table, sql, signal });
  const { session, fields, origins } = spark;
  try {
    const file = await openData(spark.table, checked, { path, bytes: undefined });
    if (file.source.cols !== model.d) {
      const message = `${path} has ${file.source.cols} numeric columns, but the model was fitted to ${model.d}. Choose the same columns.`;
      throw new DataError('WIDTH_MISMATCH', message, { value: file.source.cols, expected: model.d });
    }
    if (spark.noPython !== undefined) {
      const message = `${path} cannot compute scores, because ${spark.noPython}. Read the rows instead: -o scores.parquet.`;
      throw new FileError('UNSUPPORTED', path, message);
    }
    const numbers = file.columns.map((name) => spark.table.columns.findIndex((each) => each.name === name));
    const used = new Set(numbers.map((j) => origins[j].field));
    const carried = fields
      .map((field, index) => ({ ...field, index }))
      .filter(
        ({ name, json, index }) =>
          json !== undefined && (file.label === undefined ? !used.has(index) : name === file.label),
      );
    const others = carried.map(({ index }, j) => alias(column(`c${index}`), `k${j}`));
    const { relation, lengths, take } = executorColumns(numbers, spark, others);
    const { shift, factor } = scalerOf(model);
    const inverse = deviationsOf(model).map((deviation) => (deviation > 0 ? 1 / deviation : 0));
    const fill = checked.missing === 'mean' ? Float64Array.from(checked.fill ?? model.mean) : undefined;
    const given = { shift, factor, inverse, basis: model.components.data, ...(fill ? { fill } : {}) };
    const scores = model.whiten === 'zca' ? model.d : model.k;
    const own = model.whiten === 'zca' ? Array.from({ length: scores }, (_, i) => `c${i}`) : scoreNames(scores);
    const extra = [...(error === undefined ? [] : [error]), ...(t2 ? ['t2'] : [])];
    const columns = uniqueNames([...carried.map(({ name }) => name), ...own, ...extra]);
    const head = {
      pass: 'scores',
      lengths,
      take: take ?? null,
      missing: fill ? 'fill' : checked.missing,
      whiten: model.whiten,
      errors: error !== undefined,
      t2,
      names: columns,
      numbers: Object.entries(given).map(([name, values]) => [name, values.length]),
    };
    const types = columns.map((name, j) => {
      const { encoded: type, json } = carried[j] ?? { encoded: DOUBLE, json: 'double' };
      return { name, type, json };
    });
    const input = [...lengths.map((_, j) => `n${j}`), ...carried.map((_, j) => `k${j}`)];
    const python = pythonFunction(session, head, Object.values(given), {
      type: structOf(types),
      json: structJson(types),
    });
    const plan = saveAsTable(mapInArrow(relation, input, python), into);
    const onTasks =
      onProgress &&
      (({ done, total }: { done: number; total: number }) => onProgress({ phase: 'scores, in tasks', done, total }));
    for await (const _ of session.execute(plan, { signal, doing: 'writing', onTasks }));
    const rows = await rowCount(session, namedTable(into), signal);
    return { rows, columns };
  } catch (error) {
    throw named(error, path, model.columnNames);
  } finally {
    await spark.table.close();
  }
}

/** Adds the name of the column to an error of the executors, which has only its number. */
function named(error: unknown, path: string, names: readonly string[] | undefined): unknown {
  if (!(error instanceof DataError) || error.details.column === undefined || error.details.row !== undefined)
    return error;
  const { code, details } = error;
  const columnName = names?.[error.details.column] ?? String(error.details.column);
  const [what, remedy] =
    code === 'MISSING_VALUES'
      ? ['a missing', "Choose missing 'drop' to leave such rows out, or 'mean' to fill in the model's mean"]
      : ['an infinite', 'Correct it'];
  return new DataError(code, `${path} has ${what} value in column ${JSON.stringify(columnName)}. ${remedy}.`, {
    ...details,
    columnName,
    path,
  });
}
