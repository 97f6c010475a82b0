import type { PageEncoding } from './page-header.js';
import type { Page } from './pages.js';
import { readLevels } from './runs.js';
import { PADDING, type Span } from './values.js';

/** Levels of a page, and where its values begin. Undefined levels are all as high as they can be, or all 0 for repetition. */
export interface Leveled {
  readonly repetition: Uint8Array | undefined;
  readonly definition: Uint8Array | undefined;
  /** Values that are there. */
  readonly present: number;
  readonly span: Span;
}

/** Reads the levels of a data page: repetition up to `repeated`, definition up to `defined`. */
export function leveled({ header, levels, body }: Page, repeated: number, defined: number): Leveled {
  const { values } = header;
  if (header.kind === 'data v2') {
    const { repetition: split, definition } = header.levels;
    const ends = levels.length;
    const repetition = repeated > 0 && split > 0 ? repetitionLevels(levels, 0, split, repeated, values) : undefined;
    const defining = defined > 0 && definition > 0 ? readLevels(levels, split, ends, defined, values) : undefined;
    const present = countOf(defining, defined, values);
    // For rows that are not lists, a value that is not there is missing.
    if (repeated === 0 && values - present !== header.missing)
      throw new RangeError(`a page says that ${header.missing} of its values are missing, and ${values - present} are`);
    return { repetition, definition: defining, present, span: { bytes: body, at: 0 } };
  }
  let at = 0;
  const next = (encoding: PageEncoding | undefined): number => {
    if (encoding !== 'RLE') throw new RangeError('missing values are encoded in an old way');
    if (at + 4 > body.length) throw new RangeError('a page ends early');
    const length = (body[at] | (body[at + 1] << 8) | (body[at + 2] << 16) | (body[at + 3] << 24)) >>> 0;
    at += 4 + length;
    if (at > body.length) throw new RangeError('runs go beyond their page');
    return at - length;
  };
  let repetition: Uint8Array | undefined;
  let definition: Uint8Array | undefined;
  if (repeated > 0) repetition = repetitionLevels(body, next(header.repetitionEncoding), at, repeated, values);
  if (defined > 0) definition = readLevels(body, next(header.definitionEncoding), at, defined, values);
  return {
    repetition,
    definition,
    present: countOf(definition, defined, values),
    span: { bytes: body, at, padding: PADDING },
  };
}

/** `readLevels` leaves out levels that are all at their highest, which for repetition is not the usual case. */
function repetitionLevels(bytes: Uint8Array, start: number, end: number, most: number, count: number): Uint8Array {
  return readLevels(bytes, start, end, most, count) ?? new Uint8Array(count).fill(most);
}

function countOf(levels: Uint8Array | undefined, most: number, all: number): number {
  if (!levels) return all;
  let count = 0;
  for (let i = 0; i < levels.length; i++) if (levels[i] === most) count++;
  return count;
}
