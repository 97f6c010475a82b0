import { DataError, OptionError, type RowSource, ScreeError, type Warning } from '@scree/core';
import { type Block, type DenseBlock, decoded, type TableSource } from '@scree/core/data';
import { DEFAULT_MEMORY, type FileOptions, type Missing } from '../options.js';
import { type Choice, chooseColumns, type LeftOut, labelColumns } from './choose-columns.js';
import { type ConvertedColumn, convertedWarning } from './converted-values.js';
import type { DataFile, LabelledBlock, MissingValues, SupplementaryBlock } from './data-file.js';
import { describeFile } from './describe-file.js';
import { type FilteredRows, filterRows } from './filter-rows.js';
import { GapCounts } from './gap-counts.js';
import { collectLabels, type LabelOptions, type Labels } from './labels.js';
import { columnMeans, countMissing, dropRows, fillGaps, hasMissing, rowHasMissing } from './missing-values.js';
import { readMixed } from './mixed-batches.js';
import { selectRows } from './select-rows.js';
import type { Batch, DenseBatch, Table } from './table.js';
import {
  infiniteIn,
  leftOutWarning,
  missingIn,
  missingSomewhere,
  noLabel,
  nothingLeft,
  refuseForSparse,
  valueError,
} from './table-errors.js';

/** Columns of text of a batch. */
type Texts = readonly (readonly (string | null)[])[];

/** Labels that are kept take at most this part of the memory. */
const LABEL_SHARE = 8;

/** What is known of a file beside its table. */
export interface FileFacts {
  readonly path: string;
  readonly bytes: number | undefined;
  /** Asked when rows were read: whether the file was changed meanwhile. */
  readonly warnings?: (() => Promise<readonly Warning[]>) | undefined;
}

/** What a table becomes when columns are chosen and it is said what to do about missing values. */
export class TableFile implements DataFile {
  readonly source: RowSource;
  readonly leftOut: readonly LeftOut[];
  readonly label: string | undefined;
  readonly color: string | undefined;
  readonly weight: string | undefined;
  readonly supplementaryRows: TableFile | undefined;
  readonly format: string;
  readonly bytes: number | undefined;
  readonly shape: readonly number[] | undefined;
  readonly #path: string;
  readonly #table: Table;
  readonly #choice: Choice;
  readonly #missing: Missing;
  readonly #fill: FileOptions['fill'];
  readonly #memory: number;
  readonly #warnings: FileFacts['warnings'];
  #rows: number | undefined;
  /** What the last whole reading filled in and left out. */
  #gaps: GapCounts | undefined;
  #means: Promise<Float64Array> | undefined;
  /** Of supplementary rows: the file whose means fill their gaps. */
  #fit: TableFile | undefined;
  /** Where a row of the table is in the file. */
  #placeOf: (row: number) => number = (row) => row;
  /** Of a file with categories: the rows without gaps, and the gaps of the others. */
  #completed: { readonly rows: FilteredRows; readonly gaps: GapCounts } | undefined;

  constructor(whole: Table, options: FileOptions, facts: FileFacts) {
    const { supplementaryRows: ranges, ...rest } = options;
    let table = whole;
    if (whole.nonzeros !== undefined) refuseForSparse(options);
    if (options.only) {
      const { by } = chooseColumns(whole, options, facts.path);
      const { level } = options.only;
      const rule = {
        numbers: [],
        texts: by === undefined ? [] : [by],
        keeps: (i: number, _: unknown, [texts]: Texts) => texts[i] === level,
      };
      ({ table, placeOf: this.#placeOf } = filterRows(whole, rule));
    }
    if (ranges) {
      if (whole.nonzeros !== undefined) {
        throw new OptionError('BAD_OPTION', 'Rows of a sparse matrix cannot be chosen as supplementary.', {
          option: 'supplementaryRows',
        });
      }
      const apart = selectRows(whole, ranges, 'inside', facts.path);
      this.supplementaryRows = new TableFile(apart.table, rest, facts);
      this.supplementaryRows.#fit = this;
      this.supplementaryRows.#placeOf = apart.placeOf;
      ({ table, placeOf: this.#placeOf } = selectRows(whole, ranges, 'outside', facts.path));
    }
    this.#choice = chooseColumns(table, options, facts.path);
    if (options.missing === 'drop' && this.#choice.categories.length > 0) table = this.#withoutGaps(table);
    this.#table = table;
    this.#warnings = facts.warnings;
    this.#path = facts.path;
    this.#missing = options.missing ?? 'error';
    this.#fill = options.fill;
    this.#memory = options.memory ?? DEFAULT_MEMORY;
    const { cols, leftOut } = this.#choice;
    if (options.fill && options.fill.length !== cols) {
      throw new DataError(
        'WIDTH_MISMATCH',
        `${facts.path} has ${cols} numeric columns, and there are ${options.fill.length} numbers to fill gaps with.`,
        { value: cols, expected: options.fill.length },
      );
    }
    this.leftOut = leftOut;
    ({ name: this.label, color: this.color } = labelColumns(options));
    this.weight = options.weight;
    this.format = table.format;
    this.bytes = facts.bytes;
    this.shape = table.shape;
    this.#rows = this.#drops ? undefined : table.rows;
    const file = this;
    this.source = {
      get rows() {
        return file.#rows;
      },
      // Of a table whose rows with gaps are dropped, those before.
      expectedRows: () => table.rows ?? table.expectedRows?.(),
      cols,
      dtype: table.dtype(this.#choice.used),
      ...(table.nonzeros === undefined ? {} : { nonzeros: table.nonzeros }),
      ...(table.named ? { columnNames: this.#choice.names() } : {}),
      rereadable: table.rereadable,
      resident: false,
      remote: this.#remote(),
      blocks: () => this.#blocks(),
      warnings: async () => [
        ...((await table.warnings?.()) ?? []),
        ...((await facts.warnings?.()) ?? []),
        ...this.#readingWarnings(),
      ],
    };
  }

  /** The table without the rows that have a gap in a category, a number or the weight. */
  #withoutGaps(table: Table): Table {
    const { usedAndWeight, categories } = this.#choice;
    const gaps = new GapCounts('mean');
    const keeps = (i: number, { data, cols, stride }: DenseBlock, texts: Texts): boolean => {
      const row = [
        ...data.subarray(i * stride, i * stride + cols),
        ...texts.map((text) => (isGap(text[i]) ? Number.NaN : 0)),
      ];
      gaps.rows++;
      if (!row.some(Number.isNaN)) return true;
      gaps.drop(row);
      return false;
    };
    const rows = filterRows(table, { numbers: usedAndWeight, texts: categories, keeps });
    const before = this.#placeOf;
    this.#placeOf = (row) => before(rows.placeOf(row));
    this.#completed = { rows, gaps };
    return rows.table;
  }

  /** The rows on a cluster, where the table is on one. Weights are read here, and so are the rows then. */
  #remote(): RowSource['remote'] {
    const { used, weight, cols } = this.#choice;
    if (!this.#table.remote || weight !== undefined) return undefined;
    return this.#table.remote({
      numbers: used === 'all' ? [...Array(cols).keys()] : used,
      missing: this.#missing,
      fill: this.#fill,
      onRead: (read) => {
        const { incomplete, rows, gaps, infinite } = read;
        if (incomplete > 0 && this.#missing === 'error') {
          const columns = [...gaps]
            .map((count, j) => ({ name: this.#nameOf(j), count }))
            .filter(({ count }) => count > 0);
          throw this.#missingIn({ rows: read.read, incomplete, first: undefined, columns });
        }
        const j = infinite.findIndex((count) => count > 0);
        if (j >= 0) throw infiniteIn(this.#path, j, this.#nameOf(j), infinite[j]);
        if (rows === 0) throw this.#nothingLeft();
        this.#rows = rows;
        this.#gaps = GapCounts.of(read, this.#drops, this.#fill ? 'given' : 'mean');
      },
    });
  }

  get table(): TableSource {
    const { source } = this;
    const table = this.#table;
    const file = this;
    const { used, categories } = this.#choice;
    const columns = this.#choice.mixed().map((at) => {
      const category = categories.indexOf(at);
      if (category >= 0) return { at, slot: category, kind: 'category' as const };
      return { at, slot: used === 'all' ? at : used.indexOf(at), kind: 'number' as const };
    });
    return {
      columns: columns.map(({ at, kind }) => ({ name: table.named ? table.columns[at].name : String(at), kind })),
      named: table.named,
      ...(table.rows === undefined ? {} : { rows: table.rows }),
      rereadable: table.rereadable,
      async *batches() {
        let read = 0;
        for await (const { block, texts } of readMixed(table, used, categories)) {
          const { data, stride } = block;
          const start = read;
          read += block.rows;
          yield {
            rows: block.rows,
            cell: (i, j) => {
              const { kind, slot } = columns[j];
              return kind === 'number' ? data[i * stride + slot] : texts[slot][i];
            },
            place: (i) => file.#placeOf(start + i),
          };
        }
        if (read === 0) throw file.#nothingLeft();
        file.#rows = read;
      },
      warnings: async () => (await source.warnings?.()) ?? [],
    };
  }

  get rows(): number | undefined {
    return this.#rows;
  }

  get dropped(): number {
    return (this.#completed?.rows.kept ? this.#completed.gaps : this.#gaps)?.dropped ?? 0;
  }

  get columns(): readonly string[] {
    return this.#choice.names();
  }

  get categories(): readonly string[] {
    return this.#choice.categories.map((j) => this.#table.columns[j].name);
  }

  get supplementary(): readonly string[] {
    return this.#choice.supplementary.map((j) => this.#table.columns[j].name);
  }

  get groups(): readonly string[] {
    return this.#choice.groups.map((j) => this.#table.columns[j].name);
  }

  /** Whether rows with gaps are left out while they are read. Where there are categories, the table itself has none. */
  get #drops(): boolean {
    return this.#missing === 'drop' && this.#table.mayMissValues && !this.#completed;
  }

  async labels(options: LabelOptions = {}): Promise<Labels> {
    const { of = 'name' } = options;
    const label = this.#choice[of];
    if (label === undefined) throw noLabel(of);
    const numbers = this.#drops ? this.#choice.usedAndWeight : [];
    const texts = async function* (this: TableFile): AsyncGenerator<readonly (string | null)[], void, void> {
      for await (const batch of this.#table.read({ numbers, text: label })) {
        const text = textOf(batch);
        yield this.#drops ? dropRows(batch as DenseBatch).map((i) => text[i]) : text;
      }
    }.bind(this);
    const numeric = this.#table.columns[label].kind === 'number';
    return collectLabels(texts(), numeric, { ...options, bytes: this.#memory / LABEL_SHARE });
  }

  async weights(): Promise<Float64Array | undefined> {
    const { weight } = this.#choice;
    if (weight === undefined) return undefined;
    const numbers = this.#drops ? this.#choice.usedAndWeight : [weight];
    const parts: Float64Array[] = [];
    let rows = 0;
    for await (const { block } of this.#table.read({ numbers })) {
      const dense = decoded(block as DenseBlock);
      const kept = this.#drops ? dropRows({ block: dense }) : undefined;
      const part = new Float64Array(kept?.length ?? dense.rows);
      for (let i = 0; i < part.length; i++) {
        part[i] = dense.data[i * dense.stride + dense.cols - 1];
        if (Number.isNaN(part[i])) {
          throw new DataError(
            'MISSING_VALUES',
            `The weight of row ${rows + i + 1} is missing (column ${JSON.stringify(this.weight)}). Fill it in, or drop such rows.`,
            {
              ...this.#place(rows + i),
              ...(this.weight === undefined ? {} : { columnName: this.weight }),
            },
          );
        }
      }
      rows += part.length;
      parts.push(part);
    }
    const whole = new Float64Array(rows);
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  countMissing(): Promise<MissingValues> {
    return countMissing(this.#table, this.#choice, (j) => this.#nameOf(j), this.#placeOf);
  }

  describe(): string {
    const { cols, categories } = this.#choice;
    const others = { dropped: this.dropped, supplementary: this.supplementaryRows?.rows };
    return describeFile(this.#path, this, { cols, categories: categories.length, ...others });
  }

  close(): Promise<void> {
    return this.#table.close();
  }

  #nameOf(column: number): string {
    // Behind the columns that are analysed, that of the weights.
    if (column === this.#choice.cols) return String(this.weight);
    return this.#table.named
      ? this.columns[column]
      : String(this.#choice.used === 'all' ? column : this.#choice.used[column]);
  }

  /** What choosing columns and the last whole reading did to the values. */
  #readingWarnings(): Warning[] {
    const gaps = this.#gaps;
    const { cols, categories } = this.#choice;
    const weighted = this.#choice.weight === undefined ? 0 : 1;
    const mixedName = (j: number): string =>
      j < cols + weighted ? this.#nameOf(j) : this.#table.columns[categories[j - cols - weighted]].name;
    const dropped = this.#completed?.gaps.warnings(mixedName) ?? [];
    if (!gaps) return categories.length === 0 ? [] : [...leftOutWarning(this.leftOut), ...dropped];
    return [
      ...convertedWarning(this.#path, this.#truthValues(gaps)),
      ...leftOutWarning(this.leftOut),
      ...gaps.warnings((j) => this.#nameOf(j)),
    ];
  }

  /** Columns of a type of truth values, which become 1 and 0. In arrays of nothing else that goes without saying. */
  #truthValues(gaps: GapCounts): ConvertedColumn[] {
    const { used } = this.#choice;
    if (this.#table.uniform || used === 'all') return [];
    return used.flatMap((column, j) =>
      /^bool/i.test(this.#table.columns[column].type)
        ? [{ name: this.#nameOf(j), kind: 'boolean', count: gaps.rows - gaps.missing(j), from: 'true', to: 1 } as const]
        : [],
    );
  }

  async *#blocks(): AsyncGenerator<Block, void, void> {
    for await (const { block } of this.#batches()) yield block;
  }

  async *labelled(): AsyncGenerator<LabelledBlock, void, void> {
    const { name } = this.#choice;
    if (name === undefined) throw noLabel('name');
    for await (const { block, text } of this.#batches(name)) yield { block, labels: textOf({ block, text }) };
  }

  async *withSupplementary(): AsyncGenerator<SupplementaryBlock, void, void> {
    const { used, usedAndWeight, cols, categories, supplementary, groups, name } = this.#choice;
    const asked = this.#drops ? usedAndWeight : used;
    const own = asked === 'all' ? [...Array(cols).keys()] : asked;
    // Gaps of mixed tables are handed on, as in `table`.
    const watched =
      categories.length === 0 && this.#table.mayMissValues && (this.#missing !== 'error' || this.#table.checkMissing);
    const means = watched && this.#missing === 'mean' ? await this.#columnMeans() : undefined;
    const gaps = new GapCounts(this.#fill ? 'given' : 'mean');
    const numbers = [...own, ...supplementary];
    // What is read as a number is not read as text too.
    const named = name === undefined || numbers.includes(name) ? [] : [name];
    const labels = [...new Set([...categories, ...groups, ...named])];
    let [read, kept] = [0, 0];
    for await (const { block, texts } of readMixed(this.#table, numbers, labels)) {
      const start = read;
      read += block.rows;
      gaps.rows += block.rows;
      const analysed = { ...block, cols: own.length };
      const rows = [...Array(block.rows).keys()].filter((i) => !(this.#drops && rowHasMissing(analysed, i)));
      if (rows.length === 0) {
        await this.#complete({ block: analysed }, means, gaps);
        continue;
      }
      kept += rows.length;
      // Before incomplete rows are left out: those that follow take their places.
      const columns = new Float64Array(rows.length * supplementary.length);
      rows.forEach((i, row) => {
        const from = i * block.stride + own.length;
        columns.set(block.data.subarray(from, from + supplementary.length), row * supplementary.length);
      });
      const complete = watched ? (await this.#complete({ block: analysed }, means, gaps)).block : analysed;
      const textsOf = (column: number): (string | null)[] => {
        const text = texts[labels.indexOf(column)];
        return rows.map((i) => text[i]);
      };
      yield {
        block: { ...complete, cols },
        places: rows.map((i) => this.#placeOf(start + i)),
        names: named.length === 0 ? undefined : textsOf(named[0]),
        columns,
        groups: groups.map(textsOf),
        categories: categories.map(textsOf),
      };
    }
    if (kept === 0) throw this.#nothingLeft();
    this.#rows = kept;
    if (categories.length === 0) this.#gaps = gaps;
  }

  async *#batches(text?: number): AsyncGenerator<Batch, void, void> {
    const { used, usedAndWeight, cols } = this.#choice;
    const watched = this.#table.mayMissValues && (this.#missing !== 'error' || this.#table.checkMissing);
    const means = watched && this.#missing === 'mean' ? await this.#columnMeans() : undefined;
    const request = { numbers: this.#drops ? usedAndWeight : used, ...(text === undefined ? {} : { text }) };
    const gaps = new GapCounts(this.#fill ? 'given' : 'mean');
    let rows = 0;
    for await (const batch of this.#table.read(request)) {
      gaps.rows += batch.block.rows;
      const { block, text } = watched ? await this.#complete(batch, means, gaps) : batch;
      if (block.rows === 0) continue;
      rows += block.rows;
      yield { block: block.cols === cols ? block : { ...block, cols }, text } as Batch;
    }
    if (rows === 0) throw this.#nothingLeft();
    this.#rows = rows;
    this.#gaps = gaps;
  }

  async #complete(batch: Batch, means: Float64Array | undefined, gaps: GapCounts): Promise<Batch> {
    const { block, text } = batch;
    if (block.kind === 'sparse') return batch;
    if (this.#missing === 'drop') {
      const kept = dropRows({ block }, gaps);
      return { block: { ...block, rows: kept.length }, text: text && kept.map((i) => text[i]) };
    }
    if (!hasMissing(block)) return batch;
    if (!means) throw await this.#missingError();
    return { block: fillGaps(block, means, gaps), text };
  }

  /** What gaps are filled with, computed once. */
  #columnMeans(): Promise<Float64Array> {
    if (this.#fit) return this.#fit.#columnMeans();
    this.#means ??= this.#fill
      ? Promise.resolve(Float64Array.from(this.#fill))
      : columnMeans(this.#table, this.#choice, (j) => this.#nameOf(j));
    return this.#means;
  }

  async rowsInFile(rows: readonly number[]): Promise<number[]> {
    if (!this.#drops) return rows.map(this.#placeOf);
    const places = new Map<number, number>(rows.map((row) => [row, row]));
    let [kept, read] = [0, 0];
    for await (const batch of this.#table.read({ numbers: this.#choice.usedAndWeight })) {
      const count = batch.block.rows;
      for (const i of dropRows(batch as DenseBatch)) {
        if (places.has(kept)) places.set(kept, this.#placeOf(read + i));
        kept++;
      }
      read += count;
    }
    return rows.map((row) => places.get(row) ?? row);
  }

  async explain(error: unknown): Promise<unknown> {
    const changed = await this.#changed(error);
    if (changed) return changed;
    const { mayMissValues, rereadable } = this.#table;
    if (!(error instanceof ScreeError) || !rereadable) return error;
    const { code, details } = error;
    if (details.row === undefined || !(code === 'NOT_FINITE' || code === 'BAD_WEIGHTS')) return error;
    if (code === 'NOT_FINITE' && Number.isNaN(details.value) && mayMissValues && this.#missing === 'error')
      return this.#missingError();
    // The error counts the rows that were kept; people count the rows of the file.
    const [row] = await this.rowsInFile([details.row]);
    const { column, columnName = column === undefined ? undefined : this.#nameOf(column) } = details;
    return valueError(code, { ...details, ...(columnName === undefined ? {} : { columnName }), ...this.#place(row) });
  }

  /** The file of a row and its row there, where the table is in several files. */
  #place(row: number): { readonly row: number; readonly path: string } {
    return this.#table.locate?.(row) ?? { row, path: this.#path };
  }

  /** What failed in a file that was changed meanwhile: the change is what the error names. */
  async #changed(error: unknown): Promise<DataError | undefined> {
    if (!(error instanceof ScreeError) || error instanceof OptionError || error.code === 'SOURCE_CHANGED')
      return undefined;
    const changed = (await this.#warnings?.())?.find(({ code }) => code === 'SOURCE_CHANGED');
    return changed && new DataError('SOURCE_CHANGED', `${changed.message} It failed then: ${error.message}`);
  }

  async #missingError(): Promise<Error> {
    if (!this.#table.rereadable) return missingSomewhere(this.#path);
    return this.#missingIn(await this.countMissing());
  }

  #missingIn(missing: MissingValues): DataError {
    return missingIn(this.#path, missing, this.#place(missing.first ?? 0));
  }

  #nothingLeft(): DataError {
    return nothingLeft(this.#path, this.#drops || this.#completed !== undefined);
  }
}

function isGap(text: string | null): boolean {
  return text === null || text === '';
}

/** The text of a batch that was read with a column of it. */
function textOf({ text }: Batch): readonly (string | null)[] {
  if (!text) throw new RangeError('A batch has no text, although a column of it was asked for.');
  return text;
}
