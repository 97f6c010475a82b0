import { plural } from '@scree/analysis/describe';
import {
  type ReducedVectors,
  type ReduceVectorsOptions,
  reduceVectors,
  shareText,
  storedKind,
  type VectorCode,
  type VectorStore,
} from '@scree/analysis/vectors';
import type { RowSource } from '@scree/core';
import { DEFAULT_MEMORY, type LabelledBlock } from '@scree/files';
import { writeAtomically } from '../disk/atomic-file.js';
import { createFile, type DataFile, type RowWriter } from '../disk/index.js';
import { checkTarget } from '../disk/output-target.js';
import type { StoredType } from '../disk/stored-type.js';
import { formatOf, holdsText, type OutputFormat } from '../disk/write-file.js';
import { checkOutput } from './check-output.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { checkRereadable } from './fit-file.js';
import { print, printLines } from './print.js';
import { duration, Terminal } from './terminal.js';
import { table } from './text-table.js';
import { UsageError } from './usage-error.js';
import { countRowsOfSmallFile, withFile } from './with-file.js';

/** `scree vectors`: fewer and smaller numbers per vector, and what a search of them finds. */
export async function run(call: Call): Promise<void> {
  const { positionals, flags, signal } = call;
  const output = flags.output === undefined ? undefined : await checkOutput(call, '');
  const model = flags.model as string | undefined;
  if (model !== undefined) await checkTarget(model, [...positionals, output]);
  if (model !== undefined && model === output)
    throw new UsageError('--model and --output name the same file: give the query model a name of its own.');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const start = performance.now();
  await withFile(positionals, fileOptions(flags, signal), async (file) => {
    checkRereadable(file);
    await countRowsOfSmallFile(file, signal);
    terminal.note(file.describe());
    const result = await withQueries(call, (queries) => reduceFile(file, call, output, queries, terminal));
    terminal.clear();
    if (model !== undefined) await writeAtomically(model, result.queryModel);
    const seconds = (performance.now() - start) / 1000;
    if (flags.json) print(`${JSON.stringify({ ...result.toJSON(), seconds })}\n`);
    else printLines(describe(result, call, seconds));
  });
}

/** Queries as the flag names them: how many to draw, or a file of vectors. */
async function withQueries<Result>(
  { flags, signal }: Call,
  use: (queries: ReduceVectorsOptions['queries']) => Promise<Result>,
): Promise<Result> {
  const given = flags.queries as string | undefined;
  if (given === undefined) return use(undefined);
  if (/^\d+$/.test(given)) return use(Number(given));
  return withFile(given, { ...fileOptions({ memory: flags.memory }, signal) }, (file) => {
    checkRereadable(file);
    return use(file.source);
  });
}

/** Reduces the vectors of a file, and writes them if there is an output. */
async function reduceFile(
  { source, label, labelled }: DataFile,
  { flags, signal }: Call,
  output: string | undefined,
  queries: ReduceVectorsOptions['queries'],
  terminal: Terminal,
): Promise<ReducedVectors> {
  const options: ReduceVectorsOptions = {
    ...{ queries, signal, onProgress: terminal.onProgress, memory: (flags.memory as number) ?? DEFAULT_MEMORY },
    ...{ recall: flags.recall, at: flags.at, metric: flags.metric, k: flags.components, store: flags.store },
    ...{ center: choiceOf(flags.center), whiten: choiceOf(flags.whiten), seed: flags.seed, threads: flags.threads },
  } as ReduceVectorsOptions;
  return output === undefined
    ? reduceVectors(source, { ...options, write: () => {} })
    : writeReduced(source, options, output, { label, labelled, csvSafe: flags['csv-safe'] === true }, terminal);
}

interface Labels extends Pick<DataFile, 'label' | 'labelled'> {
  readonly csvSafe: boolean;
}

/** Writes stored vectors as they are computed, with the names of the rows if the format holds them. */
async function writeReduced(
  source: RowSource,
  options: ReduceVectorsOptions,
  output: string,
  { label, labelled, csvSafe }: Labels,
  terminal: Terminal,
): Promise<ReducedVectors> {
  const named = label !== undefined && holdsText(formatOf(output) as OutputFormat);
  const names = named ? new LabelReader(labelled()) : undefined;
  let writer: RowWriter | undefined;
  const write = async (codes: VectorCode, rows: number, { store }: { readonly store: VectorStore }): Promise<void> => {
    const cols = codes.length / rows;
    writer ??= await createFile(output, { cols, dtype: storedTypeOf(store), ...(named ? { label, csvSafe } : {}) });
    const half = store === 'float16' ? { dtype: 'float16' as const } : {};
    await writer.write({ rows, cols, data: codes, ...half }, names && (await names.next(rows)));
  };
  try {
    const result = await reduceVectors(source, { ...options, write });
    await writer?.close();
    terminal.note(
      `${plural(result.rows, 'vector')} of ${plural(result.bytes, 'byte')}${result.store === 'bit' ? ', eight bits per number of the file' : ''}: ${output}`,
    );
    if (label !== undefined && !named) terminal.note('A .npy array holds no names of rows. The rows keep their order.');
    return result;
  } catch (error) {
    await writer?.abort();
    throw error;
  } finally {
    await names?.close();
  }
}

const storedTypeOf = (store: VectorStore): StoredType => (store === 'bit' ? 'uint8' : store);

const choiceOf = (value: unknown): boolean | 'auto' | undefined =>
  value === undefined || value === 'auto' ? (value as undefined | 'auto') : value === 'yes';

/** Reads the names of rows, a few at a time. */
class LabelReader {
  readonly #blocks: AsyncIterator<LabelledBlock>;
  #left: (string | null)[] = [];

  constructor(blocks: AsyncIterable<LabelledBlock>) {
    this.#blocks = blocks[Symbol.asyncIterator]();
  }

  async next(rows: number): Promise<(string | null)[]> {
    while (this.#left.length < rows) {
      const next = await this.#blocks.next();
      if (next.done) break;
      const { block, labels } = next.value;
      this.#left = this.#left.concat(labels ?? new Array(block.rows).fill(null));
    }
    return this.#left.splice(0, rows);
  }

  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}

function describe(result: ReducedVectors, { flags }: Call, seconds: number): string[] {
  const sentences = [...String(result).split('\n'), `This took ${duration(seconds)}.`];
  return [
    ...sentences,
    ...(flags.explain ? ['', 'Recall on the queries that choose:', ...triedTable(result)] : []),
    ...(flags.pgvector ? ['', ...statements(result)] : []),
  ];
}

/** Everything that was measured. */
function triedTable({ tried, recall }: ReducedVectors): string[] {
  const searches = { cosine: 'cosine', dot: 'inner product', l2: 'Euclidean', hamming: 'Hamming' };
  const rows = tried.map((each) => [
    String(each.bytes),
    shareText(each.recall),
    shareText(each.reranked),
    String(each.queries),
    `${storedKind(each)}${each.whiten ? ', whitened' : ''}${each.reduction === 'pca' && !each.center ? ', mean kept' : ''}`,
    searches[each.search],
  ]);
  return table([['bytes', `recall@${recall.at}`, 're-ranked', 'queries', 'stored', 'search'], ...rows], 0, 2);
}

function statements(result: ReducedVectors): string[] {
  const { column, store, index, query, rerank, notes } = result.sql();
  return [
    ...notes.map((note) => `-- ${note}`),
    column,
    store,
    ...(index === undefined ? [] : [index]),
    query,
    '-- or with re-ranking:',
    rerank,
  ];
}
