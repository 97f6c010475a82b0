import { DataError, type Engine, OptionError, type Warning } from '@scree/core';
import { chooseEngine } from '@scree/core/pipeline';
import {
  checkColumns,
  openArrowBytes,
  type ReadRequest,
  type RemoteRequest,
  RoundedIntegers,
  type Table,
  type TableColumn,
} from '@scree/files/platform';
import { BATCH_MEMORY, piecesOf } from './executor-results.js';
import {
  alias,
  callOf,
  castTo,
  countRows,
  type Encoded,
  limit,
  mapInArrow,
  namedTable,
  planOf,
  projection,
  renamed,
  sqlQuery,
} from './messages.js';
import { NoPythonError, PythonVersionError } from './spark-error.js';
import { type ColumnOrigin, describeFields, type SparkColumn } from './spark-fields.js';
import { pythonFunction, sparkRows } from './spark-rows.js';
import { SparkSession } from './spark-session.js';
import { StreamedRows } from './streamed-rows.js';

const FITS_FLOAT32 = /^(byte|short|float|boolean)$/;
/** Longest array whose entries become columns. */
const LONGEST_ARRAY = 1 << 20;
/** Settings with the number of cores, and the number that is assumed if no setting has it. */
const CORES = ['spark.cores.max', 'spark.executor.instances', 'spark.executor.cores', 'spark.master'];
const ASSUMED_CORES = 4;

export interface SparkTableOptions {
  readonly memory: number;
  /** A table's name, or a query. */
  readonly table?: string | undefined;
  readonly sql?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The columns to read. No others can be read later. */
  readonly wanted?: SelectedColumns | undefined;
}

/** Names of columns or of entries of arrays. `columns` are analysed (default: all numbers), `exclude` are not, `others` are labels and the like. */
export interface SelectedColumns {
  readonly columns?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly others?: readonly (string | undefined)[] | undefined;
  /** Also reads all columns of text, as categories. */
  readonly categories?: boolean | undefined;
}

/** A table on Spark, and its parts for callers that write to Spark. */
export interface SparkTable {
  readonly table: Table;
  readonly session: SparkSession;
  /** The columns under the names c0, c1, …. */
  readonly relation: Encoded;
  readonly fields: readonly SparkColumn[];
  readonly origins: readonly ColumnOrigin[];
  /** Why our Python cannot run there, as part of a sentence. Undefined if it can. */
  readonly noPython: string | undefined;
}

/** Opens a table on Spark, or the result of a query. Rows arrive as Arrow batches, and passes can run on the executors. */
export async function openSpark(url: string, options: SparkTableOptions): Promise<SparkTable> {
  const { memory, table: name, sql, signal, wanted = {} } = options;
  if ((name === undefined) === (sql === undefined)) {
    throw new OptionError('BAD_OPTION', 'Name a table on Spark, or ask for data with sql: one of them.', {
      option: name === undefined ? 'table' : 'sql',
    });
  }
  const { session, version } = await SparkSession.open(url, { signal, memory });
  try {
    // As a subquery, a statement that would change tables is an error.
    const query = sql && `SELECT * FROM (${sql.replace(/;\s*$/, '')}\n)`;
    const given = query === undefined ? namedTable(name as string) : sqlQuery(query);
    const schema = await session.schema(given, sql === undefined ? 'reading' : 'querying');
    if (schema.length === 0) throw new DataError('EMPTY_DATA', `${session.path} has no columns there.`);
    const relation = renamed(
      given,
      schema.map((_, j) => `c${j}`),
    );
    const fields = describeFields(schema);
    await measureArrays(session, relation, fields, signal);
    const noPython = await probePython(session, signal);
    // A query may take long, so its rows are not counted in advance.
    const rows = sql === undefined ? await rowCount(session, relation, signal) : undefined;
    const local = await chooseEngine({});
    const cores = await coresOf(session);
    const built = { session, relation, fields, memory, rows, cores, signal, noPython, local, wanted };
    return { ...sparkTable(built, `Spark ${version}`), session, relation, fields, noPython };
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Finds the length of arrays: that of the first one. Reading later checks that all others have the same length. */
async function measureArrays(
  session: SparkSession,
  relation: Encoded,
  fields: readonly SparkColumn[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const arrays = fields.filter(({ length }) => length >= 0);
  if (arrays.length === 0) return;
  const sizes = arrays.map(({ expression }, j) => alias(castTo(callOf('size', expression), 'double'), `n${j}`));
  // The size of NULL is −1 or NULL.
  for await (const bytes of session.execute(planOf(limit(projection(relation, sizes), 1000)), { signal })) {
    const table = await openArrowBytes(bytes, session.path, BATCH_MEMORY);
    for await (const { block } of table.rows === 0 ? [] : table.read({ numbers: 'all' })) {
      if (block.kind === 'sparse') continue;
      arrays.forEach((field, j) => {
        for (let i = 0; i < block.rows && field.length === 0; i++) {
          const size = Number(block.data[i * block.stride + j]);
          if (size > 0) field.length = size;
        }
      });
    }
  }
  const long = arrays.find(({ length }) => length > LONGEST_ARRAY);
  if (!long) return;
  const message = `Column ${JSON.stringify(long.name)} of ${session.path} has arrays of ${long.length} numbers; at most ${LONGEST_ARRAY} are possible. Choose entries in a query.`;
  throw new DataError('TOO_LARGE', message);
}

/** Returns undefined if our Python runs on the executors, otherwise the reason. Also finds their version of Python. */
async function probePython(session: SparkSession, signal: AbortSignal | undefined): Promise<string | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      const probe = pythonFunction(session, { pass: 'probe', numbers: [] }, []);
      const plan = planOf(mapInArrow(sqlQuery('SELECT 1 AS c0'), ['c0'], probe));
      for await (const _ of piecesOf(session.execute(plan, { signal, doing: 'computing' }), session.path));
      return undefined;
    } catch (error) {
      if (error instanceof PythonVersionError && attempt === 0 && error.version !== session.python) {
        session.python = error.version;
        continue;
      }
      if (error instanceof NoPythonError || error instanceof PythonVersionError) return error.message;
      throw error;
    }
  }
}

/** Counts the rows of a relation. */
export async function rowCount(
  session: SparkSession,
  relation: Encoded,
  signal: AbortSignal | undefined,
): Promise<number> {
  for await (const bytes of session.execute(planOf(countRows(relation)), { signal })) {
    const table = await openArrowBytes(bytes, session.path, BATCH_MEMORY);
    for await (const { block } of table.read({ numbers: 'all' }))
      if (block.kind === 'dense') return Number(block.data[0]);
  }
  throw new TypeError('a count has no row');
}

async function coresOf(session: SparkSession): Promise<number> {
  const found = await session.settings(CORES);
  const number = (name: string): number => Number(found.get(name)) || 0;
  const local = Number(/^local\[(\d+)\]$/.exec(found.get('spark.master') ?? '')?.[1]) || 0;
  return (
    number('spark.cores.max') ||
    number('spark.executor.instances') * number('spark.executor.cores') ||
    local ||
    ASSUMED_CORES
  );
}

interface Built {
  readonly session: SparkSession;
  readonly relation: Encoded;
  readonly fields: readonly SparkColumn[];
  readonly memory: number;
  readonly rows: number | undefined;
  readonly cores: number;
  readonly signal: AbortSignal | undefined;
  readonly noPython: string | undefined;
  readonly local: Engine;
  readonly wanted: SelectedColumns;
}

function sparkTable(built: Built, format: string): Pick<SparkTable, 'table' | 'origins'> {
  const { session, relation, fields, memory, rows, cores, signal, noPython, local, wanted } = built;
  const { path } = session;
  const columns: TableColumn[] = [];
  const origins: ColumnOrigin[] = [];
  fields.forEach(({ name, type, kind, length, element }, field) => {
    checkColumns(columns.length + Math.max(1, length), memory, path);
    if (length === 0) columns.push({ name, type, kind: 'other' });
    else if (length < 0) columns.push({ name, type, kind });
    for (let entry = 0; entry < length; entry++) columns.push({ name: `${name}[${entry}]`, type: element, kind });
    for (let entry = 0; entry < Math.max(1, length); entry++) origins.push({ field, entry });
  });
  const integers = new RoundedIntegers();
  const streamed = new StreamedRows({
    session,
    relation,
    fields,
    origins,
    ...wantedFields(fields, wanted),
    memory,
    signal,
    integers,
  });
  const all = (numbers: ReadRequest['numbers']): readonly number[] =>
    numbers === 'all' ? [...columns.keys()] : numbers;
  const fitsFloat32 = (numbers: readonly number[]): boolean =>
    numbers.every((j) => FITS_FLOAT32.test(fields[origins[j].field].element));
  const table: Table = {
    format,
    columns,
    width: columns.length,
    named: true,
    uniform: false,
    rows,
    dtype: (numbers) => (fitsFloat32(all(numbers)) ? 'float32' : 'float64'),
    mayMissValues: true,
    checkMissing: true,
    rereadable: true,
    read: ({ numbers, texts: [text] = [] }) => {
      const chosen = all(numbers);
      return streamed.read(chosen, text, fitsFloat32(chosen) ? Float32Array : Float64Array);
    },
    ...(noPython === undefined
      ? {
          remote: (request: RemoteRequest) => {
            const input = executorColumns(request.numbers, { fields, origins, relation });
            const onRounded = (counts: Float64Array): void => {
              const reading = integers.reading();
              counts.forEach((count, j) => {
                if (count > 0) reading.add(request.numbers[j], count);
              });
            };
            const shape = { cols: request.numbers.length, rows, cores, memory, signal, session, onRounded };
            return sparkRows({ ...input, ...shape }, request, local);
          },
        }
      : {}),
    warnings: () => [...streamedWarning(noPython, path), ...integers.warnings(path, (j) => columns[j].name)],
    close: async () => {
      await session.close();
      await streamed.close();
    },
  };
  return { table, origins };
}

/** The fields that some columns need, and expressions that read them. */
function chosenFields(
  numbers: readonly number[],
  { fields, origins }: Pick<SparkTable, 'fields' | 'origins'>,
): { used: number[]; expressions: Encoded[] } {
  const used = [...new Set(numbers.map((j) => origins[j].field))];
  return { used, expressions: used.map((field, index) => alias(fields[field].expression, `n${index}`)) };
}

/** The same for our Python on the executors. `take` selects numbers among those of the fields. */
export function executorColumns(
  numbers: readonly number[],
  { fields, origins, relation }: Pick<SparkTable, 'fields' | 'origins' | 'relation'>,
  others: readonly Encoded[] = [],
): { relation: Encoded; lengths: number[]; take: number[] | undefined } {
  const { used, expressions } = chosenFields(numbers, { fields, origins });
  const starts = new Map<number, number>();
  let total = 0;
  for (const field of used) {
    starts.set(field, total);
    total += Math.max(1, fields[field].length);
  }
  const take = numbers.map((j) => (starts.get(origins[j].field) as number) + origins[j].entry);
  const same = take.length === total && take.every((place, j) => place === j);
  return {
    relation: projection(relation, [...expressions, ...others]),
    lengths: used.map((field) => fields[field].length),
    take: same ? undefined : take,
  };
}

function streamedWarning(noPython: string | undefined, path: string): Warning[] {
  if (noPython === undefined) return [];
  const message = `The rows of ${path} were read over the network, because ${noPython}. The result is as accurate. If the executors have numpy and pyarrow, they compute, and only sums are sent.`;
  return [{ code: 'ENGINE_FALLBACK', message, details: { engine: 'wasm', cause: noPython } }];
}

/** The fields to read if rows are sent here. */
function wantedFields(
  fields: readonly SparkColumn[],
  { columns, exclude = [], others = [], categories = false }: SelectedColumns,
): { numbers: number[]; texts: number[] } {
  const all = [...fields.keys()];
  const isNamed = (names: readonly (string | undefined)[], field: number): boolean =>
    names.some((name) => name === fields[field].name || name?.startsWith(`${fields[field].name}[`));
  const used = columns
    ? all.filter((field) => isNamed(columns, field))
    : all.filter((field) => !exclude.includes(fields[field].name));
  const further = all.filter((field) => isNamed(others, field) || (categories && fields[field].kind === 'text'));
  const chosen = [...new Set([...used, ...further])];
  return {
    numbers: chosen.filter((field) => fields[field].kind === 'number'),
    texts: further.filter((field) => fields[field].length < 0 && fields[field].json !== undefined),
  };
}
