import type { Model } from '@scree/core';
import { checkFinite, rowsOfBlock, rowWeights } from '@scree/core/data';
import { powerOfTwo } from '@scree/core/linalg';
import { chooseEngine, deviationOf, type ProgressTracker, reconstructBlock, scalerOf } from '@scree/core/pipeline';
import { plainText } from '../describe/plain-text.js';
import { GroupSums, type Groups } from '../meaning/groups.js';
import type { Supplementary } from '../meaning/supplementary.js';
import { ColumnCorrelations } from '../meaning/supplementary-columns.js';
import type { TablePart } from '../reading/analysis-table.js';
import type { ComparedModel } from './compared-model.js';
import { contributionsOf, joinContributions, type RowContributions } from './row-contributions.js';
import { type FigureRows, type RowFacts, RowReader } from './row-facts.js';
import { MOST_VALUES } from './row-values.js';

/** The questions about rows that one reading answers. */
export interface RowQuestions {
  /** The model of the kept components, for T² and Q. Default the whole model. */
  readonly compared?: ComparedModel | undefined;
  /** The weights of the rows in the fit, if it has weights. */
  readonly weights?: ArrayLike<number> | undefined;
  /** Names of the supplementary columns, and of the columns of groups. */
  readonly supplementary: readonly string[];
  readonly groups: readonly string[];
  /** Most rows whose contributions are listed. If there are more rows, nothing is listed. */
  readonly mostListed: number;
  readonly figures?: FigureRows | undefined;
  /** The labels by which rows are coloured, if colours are groups. */
  readonly colours?: { readonly name: string; labelOf(row: number): string | undefined } | undefined;
  /** Bytes that the distances and T² of single rows may take. Default: those of 4 million rows. */
  readonly memory?: number | undefined;
}

/** Rows with their numbers in the table, from 1, and their names or null. */
export interface Listed<Found> {
  readonly found: Found;
  readonly numbers: readonly number[];
  readonly names: readonly (string | null)[];
}

/** The answers of one reading of the rows. */
export interface RowAnswers {
  readonly facts: RowFacts;
  /** The same for the compared model. */
  readonly compared: RowFacts;
  readonly supplementary: Supplementary;
  /** Undefined if there are more rows than `mostListed`. */
  readonly listed: Listed<RowContributions> | undefined;
}

/** Longest name of a row. */
const LONGEST_NAME = 60;
/** Numbers of a piece of a block. */
const PIECE = 2 ** 20;

/**
 * Reads rows once and answers all questions about them: T² and Q, the most extreme rows, an even sample for figures, supplementary
 * columns and groups, and the contributions of each row if there are few rows.
 *
 * Rows are scored in units of a power of two near the deviation of the first component, so that no square overflows or underflows.
 */
export async function answerRowQuestions(
  model: Model,
  parts: AsyncIterable<TablePart>,
  expected: number,
  questions: RowQuestions,
  progress: ProgressTracker,
): Promise<RowAnswers> {
  const { compared = model, supplementary, groups, colours } = questions;
  const lists = compared === model ? 2 : 4;
  const figures = { pictures: false, keep: mostValues(questions.memory, lists), ...questions.figures };
  const { k, d, components, mean } = model;
  const unit = powerOfTwo(deviationOf(model, 0)) || 1;
  const measured = { components, mean, scale: model.scale.map((scale) => scale * unit) };
  const scaler = scalerOf(measured);
  const reader = new RowReader(model, scalerOf(model), expected, figures);
  const own =
    compared === model ? reader : new RowReader(compared, scalerOf(model), expected, { ...figures, pictures: false });
  const correlations = new ColumnCorrelations(supplementary.length, k);
  const sums = groups.map((name) => new GroupSums(name, k, d, []));
  const coloured = colours && new GroupSums(colours.name, k, d, []);
  const weights = rowWeights(questions.weights, undefined);
  let list: Lister | undefined = new Lister(questions.mostListed);
  const pause = (): void | Promise<void> => progress.yieldToEventLoop();
  let first = 0;
  progress.begin('rows', expected);
  for await (const part of parts) {
    const size = Math.max(256, Math.floor(PIECE / d));
    for (let from = 0; from < part.block.rows; from += size) {
      const piece = cut(part, from, Math.min(part.block.rows, from + size), supplementary.length);
      const { block, places, names } = piece;
      await progress.follow(checkFinite(block, first, model.columnNames));
      const engine = await chooseEngine({}, block.data.length);
      const scored = await reconstructBlock(measured, block, engine, (rows) => progress.step(rows));
      const { scores } = scored;
      const weight = weights.slice(first, block.rows);
      const rows = {
        block,
        scores: scores.map((score) => score * unit),
        width: k,
        squares: scored.squares.map((square) => square * unit * unit),
        errors: scored.errors.map((error) => error * unit * unit),
        places,
        names,
      };
      reader.add(rows);
      if (own !== reader) own.add(rows);
      for (let i = 0; supplementary.length > 0 && i < block.rows; i++)
        correlations.add(piece.columns, i * supplementary.length, scores, i * k, weight ? weight[i] : 1);
      const grouped = { block, scaler, scores, weights: weight };
      for (const [g, each] of sums.entries()) await each.add(piece.groups[g].map(present), grouped, pause);
      if (coloured && colours) {
        const labels = Array.from({ length: block.rows }, (_, i) => colours.labelOf(first + i));
        await coloured.add(labels, grouped, pause);
      }
      list = list?.add(contributionsOf(model, scored, unit, first, weight), places, names);
      first += block.rows;
    }
  }
  weights.end(first);
  progress.end();
  const levels = model.totalVariance > 0 ? coloured?.result(unit) : undefined;
  const facts = reader.facts(levels && levels.levels.length > 1 ? levels : undefined);
  return {
    facts,
    compared: own === reader ? facts : own.facts(),
    supplementary: {
      columns: supplementary.length === 0 ? [] : correlations.result(supplementary),
      groups: sums.map((each): Groups => each.result(unit)),
    },
    listed: list?.result(),
  };
}

/** Values that each of `lists` lists may keep: a list is copied once to be sorted, or when it grows. */
function mostValues(memory = Number.POSITIVE_INFINITY, lists: number): number {
  return Math.min(MOST_VALUES, Math.floor(memory / 8 / (lists + 1)));
}

/** A label; undefined if a row has none. */
function present(label: string | null): string | undefined {
  return label === null || label === '' ? undefined : label;
}

/** Collects the contributions of each row, up to a number of rows. */
class Lister {
  readonly #most: number;
  readonly #parts: RowContributions[] = [];
  readonly #numbers: number[] = [];
  readonly #names: (string | null)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns undefined if there are too many rows to list. */
  add(
    part: RowContributions,
    places: readonly number[],
    names: readonly (string | null)[] | undefined,
  ): this | undefined {
    if (this.#numbers.length + places.length > this.#most) return undefined;
    this.#parts.push(part);
    for (const place of places) this.#numbers.push(place + 1);
    places.forEach((_, i) => {
      const name = names?.[i] ?? null;
      this.#names.push(name === null ? null : plainText(name, LONGEST_NAME));
    });
    return this;
  }

  result(): Listed<RowContributions> | undefined {
    if (this.#parts.length === 0) return undefined;
    return { found: joinContributions(this.#parts), numbers: this.#numbers, names: this.#names };
  }
}

/** Rows from…to−1 of a part, as views. */
function cut(part: TablePart, from: number, to: number, supplementary: number): TablePart {
  const { block, places, names, columns, groups } = part;
  if (from === 0 && to === block.rows) return part;
  return {
    block: rowsOfBlock(block, from, to),
    places: places.slice(from, to),
    names: names?.slice(from, to),
    columns: columns.subarray(from * supplementary, to * supplementary),
    groups: groups.map((labels) => labels.slice(from, to)),
  };
}
