import { DataError, type Matrix, type Model, type NumberArray, pca, ScreeError } from '@scree/core';
import { openTable } from '../data/open-table.js';
import { pageWords, pageWordsOfFile } from '../page-words.js';
import { csvOf } from './csv.js';
import { Distances } from './distances.js';
import { type Control, type ExtraColumn, Held } from './loaded-table.js';
import type {
  Answer,
  CallName,
  Cells,
  DataFacts,
  Fit,
  Origin,
  Outliers,
  Question,
  Request,
  Values,
} from './messages.js';
import { outliersOf } from './outliers.js';
import { groupsOf, scaleOf, shadesOf } from './colour-codes.js';

/** Components fitted: more than anybody drags through. */
const MOST_COMPONENTS = 100;
/** Scores kept, of all rows together; with many rows there are fewer components. */
const MOST_SCORES = 5e7;
const FEWEST_COMPONENTS = 10;

/** Made when it is first needed: that takes longer than starting the rest of the worker. */
let collator: Intl.Collator | undefined;
function compare(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(a, b);
}

type Desked = { [Name in CallName]: (question: Question<Name>, control: Control) => Promise<Answer<Name>> };

/** A fit, and what follows from it once. */
interface Work {
  readonly id: number;
  /** Which data it is of. */
  readonly data: number;
  readonly held: Held;
  readonly model: Model;
  readonly matrix: Matrix<NumberArray>;
  readonly kept: Uint32Array | undefined;
  readonly scores: Matrix;
  readonly distances: Distances;
  readonly scale: Request['scale'];
  readonly solver: Request['solver'];
  readonly columnNames: readonly string[];
  /** Models of fewer components, in their binary form. */
  readonly models: Map<number, Uint8Array>;
}

/**
 * What the worker has before it, the data and the model, and everything that can be asked about them.
 *
 * What is cancelled may be done all the same, when the word comes too late: then the worker has a newer table or a newer
 * fit than the page, which shows the old one and goes on asking about it. So both have numbers, and what is old is let go
 * when the page asks about what is new.
 */
export class Desk implements Desked {
  #last = 0;
  readonly #tables = new Map<number, Held>();
  /** The newest table, until one is fitted. */
  #opened: number | undefined;
  /** The table that was fitted last, or was to be. */
  #wanted: number | undefined;
  #newest: Work | undefined;
  #shown: Work | undefined;

  async open(origin: Origin, control: Control): Promise<DataFacts> {
    const held = await read(origin, control).catch((error) => {
      if (!(error instanceof ScreeError)) throw error;
      throw new DataError(error.code, pageWordsOfFile(error.message, origin.name), error.details);
    });
    const id = ++this.#last;
    this.#tables.set(id, held);
    this.#opened = id;
    await this.#tidy();
    return { ...held.facts, id };
  }

  async fit({ data, columns, scale, missing, solver }: Request, control: Control): Promise<Fit> {
    const held = this.#tables.get(data);
    if (!held) throw new DataError('EMPTY_DATA', 'Open a file first.');
    this.#wanted = data;
    this.#opened = undefined;
    await this.#tidy();
    const { matrix, kept, incomplete } = held.choose(columns, missing);
    if (matrix.rows === 0) {
      throw new DataError(
        'MISSING_VALUES',
        'Every row has a missing value in one of the columns chosen. Leave out the columns with the most missing values, or fill them with the mean.',
      );
    }
    // Places are no names: the model of an array has none, as the command's has none.
    const columnNames = held.facts.named ? columns.map((place) => held.facts.columns[place].name) : [];
    const most = Math.max(FEWEST_COMPONENTS, Math.floor(MOST_SCORES / matrix.rows));
    const k = Math.max(1, Math.min(matrix.cols, matrix.rows - 1, MOST_COMPONENTS, most));
    const started = performance.now();
    const model = await pca(matrix, { k, scale, solver, ...unique(columnNames), ...control }).catch((error) => {
      throw inTable(error, held, columns, kept);
    });
    const milliseconds = performance.now() - started;
    const scores = await model.transform(matrix, control);
    const distances = await Distances.of(model, matrix, scores, control);
    stopIfCancelled(control);
    const id = ++this.#last;
    const models = new Map<number, Uint8Array>();
    this.#newest = { id, data, held, model, matrix, kept, scores, distances, scale, solver, columnNames, models };
    return { id, model: model.toBinary(), incomplete, milliseconds, ...(kept ? { kept } : {}) };
  }

  /** The questions that follow are about this fit. */
  show(id: number): void {
    if (this.#newest?.id === id && this.#shown !== this.#newest) {
      this.#shown = this.#newest;
      void this.#tidy();
    }
    if (this.#shown?.id !== id) throw new DataError('EMPTY_DATA', 'That model is no longer there.');
  }

  async scores(component: number): Promise<Float64Array> {
    const { data, rows, cols } = this.#fitted().scores;
    return Float64Array.from({ length: rows }, (_, i) => data[i * cols + component]);
  }

  async distances({ rows, k }: Question<'distances'>): Promise<Float64Array> {
    const { distances } = this.#fitted();
    return Float64Array.from(rows, (row) => distances.at(row, k));
  }

  async distanceValues(k: number): Promise<Values> {
    return shadesOf(this.#fitted().distances.all(k));
  }

  async outliers(k: number): Promise<Outliers> {
    return outliersOf(this.#fitted().distances.all(k));
  }

  async modelOf(k: number, control: Control): Promise<Uint8Array> {
    const work = this.#fitted();
    if (k === work.model.k) return work.model.toBinary();
    const known = work.models.get(k);
    if (known) return known;
    const { scale, solver, columnNames } = work;
    const model = (await pca(work.matrix, { k, scale, solver, ...unique(columnNames), ...control })).toBinary();
    work.models.set(k, model);
    return model;
  }

  async values(column: number): Promise<Values> {
    const { held } = this.#fitted();
    const rows = this.#rows();
    const numbers = held.column(column);
    if (numbers) return scaleOf(Float64Array.from({ length: rows.length }, (_, i) => numbers.at(rows.at(i))));
    const texts = await held.texts(column);
    return groupsOf(
      Array.from({ length: rows.length }, (_, i) => texts[rows.at(i)]),
      compare,
    );
  }

  async cells({ rows, columns }: Question<'cells'>): Promise<Cells> {
    const { held } = this.#fitted();
    const fit = this.#rows();
    const read = await Promise.all(
      columns.map(async (place) => {
        const numbers = held.column(place);
        if (numbers) return (row: number) => numbers.show(row) ?? '';
        const texts = await held.texts(place);
        return (row: number) => texts[row] ?? '';
      }),
    );
    return rows.map((row) => read.map((cell) => cell(fit.at(row))));
  }

  async row(index: number): Promise<Float64Array> {
    const { data, cols } = this.#fitted().matrix;
    return Float64Array.from(data.subarray(index * cols, (index + 1) * cols));
  }

  async search({ text, columns, limit }: Question<'search'>): Promise<Uint32Array> {
    const { held } = this.#fitted();
    const rows = this.#rows();
    const wanted = text.trim().toLowerCase();
    const found = new Set<number>();
    if (wanted === '') return new Uint32Array();
    const number = /^#?\d+$/.test(wanted) ? Number(wanted.replace('#', '')) : undefined;
    for (let i = 0; number !== undefined && i < rows.length; i++) if (rows.at(i) + 1 === number) found.add(i);
    for (const place of columns) {
      const texts = await held.texts(place);
      for (let i = 0; i < rows.length && found.size < limit; i++) {
        if (texts[rows.at(i)]?.toLowerCase().includes(wanted)) found.add(i);
      }
    }
    return Uint32Array.from([...found].sort((a, b) => a - b));
  }

  async scoresCsv({ k, labels }: Question<'scoresCsv'>): Promise<Blob> {
    const { held, scores } = this.#fitted();
    const rows = this.#rows();
    const texts = await Promise.all(labels.map((place) => held.texts(place)));
    const names = ['row', ...labels.map((place) => held.facts.columns[place].name)];
    for (let c = 1; c <= k; c++) names.push(`PC${c}`);
    return csvOf(names, rows.length, (i) => [
      rows.at(i) + 1,
      ...texts.map((text) => text[rows.at(i)] ?? ''),
      ...scores.data.subarray(i * scores.cols, i * scores.cols + k),
    ]);
  }

  async sample({ rows, components }: Question<'sample'>): Promise<Float64Array> {
    const { data, rows: n, cols } = this.#fitted().scores;
    const count = Math.min(rows, n);
    const width = Math.min(components, cols);
    return Float64Array.from({ length: count * width }, (_, at) => {
      const row = Math.floor((Math.floor(at / width) * n) / count);
      return data[row * cols + (at % width)];
    });
  }

  #fitted(): Work {
    if (!this.#shown) throw new DataError('EMPTY_DATA', 'There is no model yet.');
    return this.#shown;
  }

  /** Lets go of tables that nobody can ask about any more. */
  async #tidy(): Promise<void> {
    const used = new Set([this.#opened, this.#wanted, this.#newest?.data, this.#shown?.data]);
    for (const [id, held] of [...this.#tables]) {
      if (used.has(id)) continue;
      this.#tables.delete(id);
      await held.close();
    }
  }

  /** Rows of the fit as rows of the table. */
  #rows(): { readonly length: number; at(index: number): number } {
    const { kept, matrix } = this.#fitted();
    return { length: matrix.rows, at: kept ? (i) => kept[i] : (i) => i };
  }
}

async function read(origin: Origin, control: Control): Promise<Held> {
  const content = await contentOf(origin, control);
  const labels = origin.kind === 'address' ? origin.labels : undefined;
  const extra = labels && (await labelsOf(labels, control));
  const table = await openTable(content, origin.name);
  try {
    const held = await Held.read(table, origin.name, extra, control);
    stopIfCancelled(control);
    return held;
  } catch (error) {
    await table.close();
    throw error;
  }
}

async function contentOf(origin: Origin, { signal }: Control): Promise<Blob | Uint8Array> {
  if (origin.kind === 'blob') return origin.blob;
  if (origin.kind === 'text') return new TextEncoder().encode(origin.text);
  const response = await fetch(origin.url, signal ? { signal } : {});
  if (!response.ok) {
    throw new DataError('NO_FILE', `${origin.name} could not be fetched: the server answered ${response.status}.`);
  }
  return response.blob();
}

function stopIfCancelled({ signal }: Control): void {
  if (signal?.aborted) throw signal.reason;
}

/** The labels of pictures, from a file of their own. */
async function labelsOf({ name, url }: { name: string; url: string }, control: Control): Promise<ExtraColumn> {
  const table = await openTable(await contentOf({ kind: 'address', name, url }, control), name);
  try {
    const labels = await Held.read(table, name, undefined, control);
    const column = labels.column(0)!;
    return { name, numbers: Float64Array.from({ length: labels.rows }, (_, i) => column.at(i)) };
  } finally {
    await table.close();
  }
}

/** What is wrong with data that were chosen, by row and column of the table, in the words of the page. */
function inTable(error: unknown, held: Held, columns: readonly number[], kept: Uint32Array | undefined): unknown {
  if (!(error instanceof ScreeError)) return error;
  const { row, column, value } = error.details;
  const name = column === undefined ? '' : held.facts.columns[columns[column]].name;
  const message =
    error.code === 'NOT_FINITE' && row !== undefined
      ? `Row ${(kept ? kept[row] : row) + 1} of the column ${name} is ${value}. Infinite values have no variance: leave out the column, or mend the data.`
      : pageWords(error.message.replace(/^Column \d+/, () => `The column ${name}`));
  return new DataError(error.code, message);
}

/** Names go into the model where they tell columns apart. */
function unique(columnNames: readonly string[]): { columnNames?: readonly string[] } {
  const apart = columnNames.length > 0 && new Set(columnNames).size === columnNames.length;
  return apart ? { columnNames } : {};
}
