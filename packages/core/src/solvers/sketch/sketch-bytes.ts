import { LARGEST_SQUARE, MOST_COLUMNS } from '../../base/limits.js';
import { type ColumnStatistics, emptyStatistics } from '../../data/statistics/statistics.js';
import { cutOff, damaged, readContainerHeader, readSections, writeContainer } from '../../data/storage/container.js';
import { readerOf } from '../../data/storage/format-version.js';
import { capacityOf, Sketch, type SketchState } from './sketch.js';
import { SKETCH_RULES } from './sketch-options.js';

const LETTERS = 'SCREESKT';
const VERSION = 1;
const WHAT = 'sketch';
const COLUMNS = ['mean', 'unit', 'spread', 'min', 'max', 'meanRest'] as const;
/** One reader per format version. None is ever removed. */
const READERS = { 1: restore } as const;

/** A sketch as bytes, exact to the last bit. */
export function sketchToBytes(sketch: Sketch): Uint8Array {
  const { options, columns, divisor, stack, ...rest } = sketch.state();
  const { rows, weight, inflation, restUnknown } = columns;
  const { columnWeights, scale, ...settings } = options;
  const numbers = (values: ArrayLike<number> | undefined) => values && Array.from(values);
  const header = {
    ...{ ...settings, ...rest, rows, weight, inflation, restUnknown },
    scale: typeof scale === 'string' ? scale : numbers(scale),
    columnWeights: numbers(columnWeights),
  };
  const arrays = [...COLUMNS.map((name) => columns[name]), divisor, stack];
  return writeContainer(LETTERS, VERSION, header, arrays.map(bytesOf));
}

/** Reads the bytes that `sketchToBytes` returns. Nothing is trusted before it is checked. */
export function sketchFromBytes(bytes: Uint8Array): Sketch {
  const container = readContainerHeader(bytes, LETTERS, WHAT);
  if ('needed' in container) throw cutOff(bytes.length, WHAT);
  const read = readerOf<typeof restore>(READERS, container.version, 'The sketch has');
  return read(container.header, readSections(bytes, container, WHAT));
}

function restore(header: Readonly<Record<string, unknown>>, sections: readonly Uint8Array[]): Sketch {
  const { cols, size, rule, centred, scale, columnWeights, unit, lost, rounding } =
    header as never as SketchState['options'] & SketchState;
  const isCount = (value: unknown, most: number): boolean =>
    Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most;
  const amounts = [header.weight, header.inflation, unit, lost, rounding];
  const sound =
    isCount(cols, MOST_COLUMNS) &&
    isCount(size, LARGEST_SQUARE) &&
    SKETCH_RULES.includes(rule) &&
    [centred, header.float32, header.sparse].every((flag) => typeof flag === 'boolean') &&
    [header.rows, header.merges].every((count) => Number.isSafeInteger(count) && (count as number) >= 0) &&
    amounts.every((amount) => Number.isFinite(amount) && (amount as number) >= 0) &&
    isScale(scale, cols) &&
    (columnWeights === undefined || isNumbers(columnWeights, cols)) &&
    sections.length === COLUMNS.length + 2 &&
    sections.slice(0, -1).every(({ length }) => length === 8 * cols) &&
    sections[sections.length - 1].length % (8 * cols) === 0;
  if (!sound) throw damaged(WHAT);
  const arrays = sections.map(numbersOf);
  const columns: ColumnStatistics = {
    ...emptyStatistics(0),
    ...(Object.fromEntries(COLUMNS.map((name, i) => [name, arrays[i]])) as Pick<
      ColumnStatistics,
      (typeof COLUMNS)[number]
    >),
    rows: header.rows as number,
    weight: header.weight as number,
    inflation: header.inflation as number,
    ...(header.restUnknown === true ? { restUnknown: true } : {}),
  };
  const [divisor, stack] = arrays.slice(COLUMNS.length);
  if (size > cols || stack.length / cols > capacityOf(size)) throw damaged(WHAT);
  return Sketch.restore({
    options: { cols, size, rule, scale, columnWeights, centred },
    ...{ columns, divisor, stack, unit, lost, rounding },
    float32: header.float32 as boolean,
    sparse: header.sparse as boolean,
    merges: header.merges as number,
  });
}

function isScale(scale: unknown, cols: number): boolean {
  return typeof scale === 'string' ? ['none', 'unit', 'pareto', 'range'].includes(scale) : isNumbers(scale, cols);
}

function isNumbers(values: unknown, cols: number): boolean {
  return (
    Array.isArray(values) && values.length === cols && values.every((value) => Number.isFinite(value) && value > 0)
  );
}

/** Typed arrays are little-endian on the platforms that are supported. */
function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function numbersOf(bytes: Uint8Array): Float64Array {
  // A copy, because the bytes may not be aligned. `slice` is not used, because it does not copy in some subclasses.
  return new Float64Array(new Uint8Array(bytes).buffer);
}
