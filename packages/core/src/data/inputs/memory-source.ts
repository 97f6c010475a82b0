import { isFloat32Array } from '../../base/built-in-name.js';
import type { Block } from '../blocks/block.js';
import { detectChanges } from '../blocks/changes.js';
import type { GapReading } from '../blocks/gap.js';
import { fitsFloat32 } from '../blocks/matrix.js';
import type { DType, RowSource } from '../blocks/row-source.js';
import { type SampleFacts, sampleRows } from '../blocks/sample-facts.js';
import { isRecord, type Row, RowGatherer } from './row-gatherer.js';
import { type AnyMatrix, empty, toBlock } from './to-block.js';

/** A source that reads a matrix in place. It detects changes from now on. */
export function matrixSource(matrix: AnyMatrix): RowSource {
  const blocks = [toBlock(matrix)];
  return new MemorySource(blocks, undefined, detectChanges(blocks));
}

/** The keys of all records, in the order in which they appear. */
export function allKeys(rows: readonly Row[]): string[] {
  const keys = new Set<string>();
  for (const row of rows) if (isRecord(row)) for (const key of Object.keys(row)) keys.add(key);
  return [...keys];
}

/**
 * A source with a copy of rows. `chosen` are the columns of records to use. With `gaps`, missing values become NaN, and a record need not
 * have all keys.
 */
export function rowsSource(
  rows: readonly Row[],
  chosen: readonly string[] | undefined,
  warnings?: RowSource['warnings'],
  gaps: GapReading = false,
): RowSource {
  const names = chosen ?? (gaps === true && isRecord(rows[0]) ? allKeys(rows) : undefined);
  const options = { capacity: rows.length, float32: rows.every(isFloat32Array), chosen: names, gaps };
  const gather = new RowGatherer(rows[0], options);
  // By index, because forEach skips holes.
  for (let i = 0; i < rows.length; i++) gather.add(rows[i], i);
  return new MemorySource([gather.take()], gather.names, warnings);
}

/** A source of blocks in memory. */
export class MemorySource implements RowSource {
  readonly rows: number;
  readonly cols: number;
  readonly dtype: DType;
  readonly nonzeros?: number;
  readonly columnNames?: readonly string[];
  readonly rereadable = true;
  readonly resident = true;
  readonly blocks: () => readonly Block[];
  readonly warnings?: NonNullable<RowSource['warnings']>;

  constructor(
    blocks: readonly Block[],
    columnNames: readonly string[] | undefined,
    warnings?: NonNullable<RowSource['warnings']>,
  ) {
    let rows = 0;
    let nonzeros = 0;
    for (const block of blocks) {
      rows += block.rows;
      nonzeros += block.kind === 'sparse' ? block.data.length : block.rows * block.cols;
    }
    if (rows === 0) throw empty();
    this.rows = rows;
    this.cols = blocks[0].cols;
    this.dtype = blocks.every((block) => fitsFloat32(block.data)) ? 'float32' : 'float64';
    if (blocks.every((block) => block.kind === 'sparse')) this.nonzeros = nonzeros;
    if (columnNames) this.columnNames = columnNames;
    this.blocks = () => blocks;
    if (warnings) this.warnings = warnings;
  }

  get sample(): SampleFacts | undefined {
    const [first] = this.blocks();
    return first.kind === 'dense' ? sampleRows(first) : undefined;
  }
}
