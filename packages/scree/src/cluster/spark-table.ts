import { DataError, type Engine, OptionError, type Warning } from '@scree/core';
import { chooseEngine } from '@scree/core/engine';
import {
  type Column,
  checkColumns,
  openArrowBytes,
  type RemoteRequest,
  type Request,
  RoundedIntegers,
  type Table,
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
  project,
  renamed,
  sqlQuery,
} from './messages.js';
import { NoPythonError, PythonVersionError } from './spark-error.js';
import { describeFields, type SparkColumn } from './spark-fields.js';
import { pythonFunction, sparkRows } from './spark-rows.js';
import { SparkSession } from './spark-session.js';
import { StreamedRows } from './streamed-rows.js';

const FITS_FLOAT32 = /^(byte|short|float|boolean)$/;
/** Arrays up to this length become columns, one per entry. */
const LONGEST_ARRAY = 1 << 20;
/** Settings that tell how many cores the executors have, and how many are assumed where none does. */
const CORES = ['spark.cores.max', 'spark.executor.instances', 'spark.executor.cores', 'spark.master'];
const ASSUMED_CORES = 4;

export interface SparkTableOptions {
  readonly memory: number;
  /** A table's name, or a query. */
  readonly table?: string | undefined;
  readonly sql?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The columns that are wanted; the others cannot be read here. */
  readonly wanted?: Wanted | undefined;
}

/** Names of columns, and of entries of arrays: those that are analysed (default: all numbers), those that are not, and further ones. */
export interface Wanted {
  readonly columns?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly others?: readonly (string | undefined)[] | undefined;
  /** Whether all columns of text are wanted too, as categories. */
  readonly categories?: boolean | undefined;
}

/** What a table on Spark is made of, for those who write to it too. */
export interface SparkTable {
  readonly table: Table;
  readonly session: SparkSession;
  /** The columns under the names c0, c1, …. */
  readonly relation: Encoded;
  readonly fields: readonly SparkColumn[];
  /** The field of each column of the table, and the entry of its arrays. */
  readonly places: readonly { readonly field: number; readonly entry: number }[];
  /** Why our Python cannot run there, as part of a sentence. */
  readonly noPython: string | undefined;
}

/** A table, or the result of a query, on Spark: columns that Spark describes, rows as Arrow batches, and passes on the executors. */
export async function openSpark(url: string, options: SparkTableOptions): Promise<SparkTable> {
  const { memory, table: name, sql, signal, wanted = {} } = options;
  if ((name === undefined) === (sql === undefined)) {
    throw new OptionError('BAD_OPTION', 'Name a table on Spark, or ask for data with sql: one of them.', {
      option: name === undefined ? 'table' : 'sql',
    });
  }
  const { session, version } = await SparkSession.open(url, { signal, memory });
  try {
    // Inside of a query nothing but a query can be: what would change tables is an error.
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
    // A query may take long: it is not run only to count its rows.
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

/** Finds how long arrays are: as long as the first one, which all others are held to when they are read. */
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
  for await (const bytes of session.execute(planOf(limit(project(relation, sizes), 1000)), { signal })) {
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
  const message = `Column ${JSON.stringify(long.name)} of ${session.path} has arrays of ${long.length} numbers; ${LONGEST_ARRAY} is the most. Choose entries in a query.`;
  throw new DataError('TOO_LARGE', message);
}

/** Whether our Python runs on the executors; if not, why. Finds their version of Python on the way. */
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

/** Rows of a relation. */
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
  readonly wanted: Wanted;
}

function sparkTable(built: Built, format: string): Pick<SparkTable, 'table' | 'places'> {
  const { session, relation, fields, memory, rows, cores, signal, noPython, local, wanted } = built;
  const { path } = session;
  const columns: Column[] = [];
  const places: { readonly field: number; readonly entry: number }[] = [];
  fields.forEach(({ name, type, kind, length, element }, field) => {
    checkColumns(columns.length + Math.max(1, length), memory, path);
    if (length === 0) columns.push({ name, type, kind: 'other' });
    else if (length < 0) columns.push({ name, type, kind });
    for (let entry = 0; entry < length; entry++) columns.push({ name: `${name}[${entry}]`, type: element, kind });
    for (let entry = 0; entry < Math.max(1, length); entry++) places.push({ field, entry });
  });
  const integers = new RoundedIntegers();
  const streamed = new StreamedRows({
    session,
    relation,
    fields,
    places,
    ...wantedFields(fields, wanted),
    memory,
    signal,
    integers,
  });
  const all = (numbers: Request['numbers']): readonly number[] => (numbers === 'all' ? [...columns.keys()] : numbers);
  const fitsFloat32 = (numbers: readonly number[]): boolean =>
    numbers.every((j) => FITS_FLOAT32.test(fields[places[j].field].element));
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
    read: ({ numbers, text }) => {
      const chosen = all(numbers);
      return streamed.read(chosen, text, fitsFloat32(chosen) ? Float32Array : Float64Array);
    },
    ...(noPython === undefined
      ? {
          remote: (request: RemoteRequest) => {
            const input = executorColumns(request.numbers, { fields, places, relation });
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
  return { table, places };
}

/** The fields that some columns need, and expressions that read them. */
function chosenFields(
  numbers: readonly number[],
  { fields, places }: Pick<SparkTable, 'fields' | 'places'>,
): { used: number[]; expressions: Encoded[] } {
  const used = [...new Set(numbers.map((j) => places[j].field))];
  return { used, expressions: used.map((field, index) => alias(fields[field].expression, `n${index}`)) };
}

/** The same for our Python on the executors: which numbers it takes of what it reads. */
export function executorColumns(
  numbers: readonly number[],
  { fields, places, relation }: Pick<SparkTable, 'fields' | 'places' | 'relation'>,
  others: readonly Encoded[] = [],
): { relation: Encoded; lengths: number[]; take: number[] | undefined } {
  const { used, expressions } = chosenFields(numbers, { fields, places });
  const starts = new Map<number, number>();
  let total = 0;
  for (const field of used) {
    starts.set(field, total);
    total += Math.max(1, fields[field].length);
  }
  const take = numbers.map((j) => (starts.get(places[j].field) as number) + places[j].entry);
  const same = take.length === total && take.every((place, j) => place === j);
  return {
    relation: project(relation, [...expressions, ...others]),
    lengths: used.map((field) => fields[field].length),
    take: same ? undefined : take,
  };
}

function streamedWarning(noPython: string | undefined, path: string): Warning[] {
  if (noPython === undefined) return [];
  const message = `The rows of ${path} were read over the network, because ${noPython}. The result is as accurate. Where the executors have numpy and pyarrow, they compute, and only sums are sent.`;
  return [{ code: 'ENGINE_FALLBACK', message, details: { engine: 'wasm', cause: noPython } }];
}

/** The fields that rows are read of, where they are read here. */
function wantedFields(
  fields: readonly SparkColumn[],
  { columns, exclude = [], others = [], categories = false }: Wanted,
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
