import { relationText } from '../../describe/relation-text.js';
import type { ColumnFacts, SampledRows } from '../column-inspector.js';
import { constantSums } from './constant-sum.js';
import { areOrdered } from './ordered-columns.js';
import { columnKey, type StructureCheck, titleOfColumn, valuesOf } from './structure-check.js';

/** Most columns: the search takes rows · d² steps. */
const MOST_COLUMNS = 300;
/** Rows that are needed beyond the columns, so that no relation is chance. */
const MORE_ROWS = 10;
/** Deviation of the rest, as a share of that of the column, below which a relation is exact. */
const EXACT = 1e-7;
/** Coefficients that are rounding. */
const NEGLIGIBLE = 1e-6;
/** Most columns of a relation. With more, nobody would recognise it. */
const MOST_TERMS = 12;
/** Most relations in a message. */
const MOST_SHOWN = 3;

/** A column that follows from others: left = Σ coefficientᵢ·columnᵢ + constant. */
export interface LinearRelation {
  readonly left: ColumnFacts;
  readonly terms: readonly { readonly column: ColumnFacts; readonly coefficient: number }[];
  readonly constant: number;
}

/**
 * Exact linear relations between columns, by Gram–Schmidt in the order of the columns, twice (Giraud, Langou & Rozložník 2005): a column
 * whose rest after the columns before it is 0 is a combination of them. With Q the orthonormal directions of the independent columns and
 * R their coordinates the coefficients solve Rc = Qᵀx. Relations of two columns are DUPLICATE_COLUMNS.
 */
export function linearRelations(sample: SampledRows | undefined, columns: readonly ColumnFacts[]): LinearRelation[] {
  if (!sample || columns.length < 3 || columns.length > MOST_COLUMNS) return [];
  if (sample.rows < columns.length + MORE_ROWS) return [];
  const found: LinearRelation[] = [];
  const basis: { column: ColumnFacts; direction: Float64Array; coordinates: Float64Array; size: number }[] = [];
  for (const column of columns) {
    const { values, size, mean } = standard(valuesOf(sample, column.index));
    if (size === 0) continue;
    const coordinates = new Float64Array(basis.length + 1);
    for (const _ of [1, 2]) {
      for (const [b, { direction }] of basis.entries()) {
        let along = 0;
        for (let i = 0; i < values.length; i++) along += direction[i] * values[i];
        for (let i = 0; i < values.length; i++) values[i] -= along * direction[i];
        coordinates[b] += along;
      }
    }
    const rest = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    if (rest > EXACT) {
      coordinates[basis.length] = rest;
      basis.push({ column, direction: values.map((value) => value / rest), coordinates, size });
      continue;
    }
    const weights = solve(basis, coordinates);
    const terms = basis.flatMap((each, b) =>
      Math.abs(weights[b]) > NEGLIGIBLE ? [{ column: each.column, coefficient: (weights[b] * size) / each.size }] : [],
    );
    if (terms.length < 2 || terms.length >= MOST_TERMS) continue;
    const constant = terms.reduce((sum, each) => sum - each.coefficient * meanOf(sample, each.column), mean);
    found.push(readable({ left: column, terms, constant }));
  }
  return found;
}

/** Back substitution for Rc = q. */
function solve(basis: readonly { readonly coordinates: Float64Array }[], q: Float64Array): Float64Array {
  const weights = new Float64Array(basis.length);
  for (let b = basis.length - 1; b >= 0; b--) {
    let rest = q[b];
    for (let later = b + 1; later < basis.length; later++) rest -= basis[later].coordinates[b] * weights[later];
    weights[b] = rest / basis[b].coordinates[b];
  }
  return weights;
}

/** The values about their mean in units of their length, this length, and the mean. */
function standard(values: Float64Array): { values: Float64Array; size: number; mean: number } {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value / n, 0);
  const centred = values.map((value) => value - mean);
  const largest = centred.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!(largest > 1e-12 * Math.abs(mean)) || !Number.isFinite(largest)) return { values: centred, size: 0, mean };
  const size = largest * Math.sqrt(centred.reduce((sum, value) => sum + (value / largest) ** 2, 0));
  return { values: centred.map((value) => value / size), size, mean };
}

function meanOf(sample: SampledRows, { index }: ColumnFacts): number {
  return valuesOf(sample, index).reduce((sum, value) => sum + value / sample.rows, 0);
}

/** The same relation with a total on the left, if one column is the sum of the others: "total = a + b" rather than "b = total − a". */
function readable(relation: LinearRelation): LinearRelation {
  const { left, terms, constant } = relation;
  const all = [{ column: left, coefficient: -1 }, ...terms];
  const negative = all.filter(({ coefficient }) => coefficient < 0);
  const positive = all.filter(({ coefficient }) => coefficient > 0);
  const alone = negative.length === 1 ? negative[0] : positive.length === 1 ? positive[0] : undefined;
  if (!alone) return relation;
  return {
    left: alone.column,
    terms: all
      .filter((each) => each !== alone)
      .map(({ column, coefficient }) => ({ column, coefficient: -coefficient / alone.coefficient })),
    constant: -constant / alone.coefficient,
  };
}

/** LINEAR_RELATION: a column is a sum or difference of others, so it adds nothing new and counts what they measure twice. */
export const linearRelation: StructureCheck = {
  code: 'LINEAR_RELATION',
  find({ read, sample, measured }) {
    // Parts of a whole have this relation, and CONSTANT_SUM says so. Neighbours on a smooth curve are nearly combinations of one another.
    if (constantSums(sample, measured) || areOrdered(sample, measured)) return undefined;
    const copies = new Set(read.duplicates.flatMap(({ columns }) => columns.slice(1)));
    const relations = linearRelations(
      sample,
      measured.filter(({ index }) => !copies.has(index)),
    ).map(({ left, terms, constant }) => {
      const scale = Math.max(
        left.deviation,
        ...terms.map(({ column, coefficient }) => Math.abs(coefficient) * column.deviation),
      );
      return { left, terms, constant: Math.abs(constant) <= NEGLIGIBLE * scale ? 0 : constant };
    });
    if (relations.length === 0) return undefined;
    const texts = relations.map(({ left, terms, constant }) =>
      relationText(
        titleOfColumn(left),
        terms.map(({ column, coefficient }) => ({ name: titleOfColumn(column), coefficient })),
        constant,
      ),
    );
    const more = texts.length > MOST_SHOWN ? `; and ${texts.length - MOST_SHOWN} more` : '';
    const lefts = relations.map(({ left }) => left);
    return {
      message: `Columns follow exactly from others: ${texts.slice(0, MOST_SHOWN).join('; ')}${more}. What they measure counts more than once. Leave ${relations.length === 1 ? titleOfColumn(lefts[0]) : 'one column of each relation'} out.`,
      details: {
        columns: lefts.map(columnKey),
        count: relations.length,
        relations: relations.map(({ left, terms, constant }) => ({
          left: columnKey(left),
          terms: terms.map(({ column, coefficient }) => ({ column: columnKey(column), coefficient })),
          constant,
        })),
        rows: sample?.rows ?? 0,
      },
    };
  },
};
