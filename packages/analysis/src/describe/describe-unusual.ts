import type { ComparedModel } from '../rows/compared-model.js';
import type { RowFacts } from '../rows/row-facts.js';
import type { UnusualRows } from '../rows/unusual-rows.js';
import { capitalised, count, formatNumber, listed, percent, plural } from './numbers.js';

/** Describes unusual rows in sentences of plain text. */

/** The number of rows, and their numbers and names. */
export type DescribedRows = Pick<RowFacts, 'rows' | 'numberOf' | 'nameOf'>;

/** The model with which rows are compared. */
export type DescribedModel = Pick<
  ComparedModel,
  'k' | 'd' | 'n' | 'centered' | 'uniqueness' | 'noiseVariance' | 'totalVariance'
>;

/** A row in a sentence: "17", or "17 (Karpov)". */
export function rowTitle({ numberOf, nameOf }: Pick<RowFacts, 'numberOf' | 'nameOf'>, row: number): string {
  const name = nameOf?.(row);
  return name === undefined ? String(numberOf(row)) : `${numberOf(row)} (${name})`;
}

/** Most rows that are named. */
const NAMED = 8;

/** "Rows 70, 96 and 122 are unusual." `start` is put before the sentence. */
export function describeUnusual(found: UnusualRows, facts: DescribedRows, start = ''): string {
  const sentence = unusualSentence(found, facts);
  return `${start}${start === '' ? sentence : sentence.charAt(0).toLowerCase() + sentence.slice(1)}`;
}

function unusualSentence(found: UnusualRows, facts: DescribedRows): string {
  const { counts, unusual, complete, kind } = found;
  if (!hasLimits(found)) return 'There are too few rows in the fit to tell which rows are unusual.';
  const forModel = kind === 'new' ? ' for this model' : '';
  const total = counts.either;
  if (total === undefined) {
    const parts = [
      ...(counts.t2 > 0 ? [`about ${plural(counts.t2, 'row')} by T²`] : []),
      ...(counts.q > 0 ? [`about ${plural(counts.q, 'row')} by Q`] : []),
    ];
    return parts.length === 0
      ? `No row is unusual${forModel}.`
      : capitalised(
          `${listed(parts)} ${counts.t2 + counts.q === 1 ? 'is' : 'are'} unusual${forModel}${foremost(found, facts)}.`,
        );
  }
  if (total === 0) return `No row is unusual${forModel}.`;
  if (total === facts.rows && total > 1) return `All ${count(total)} rows are unusual${forModel}.`;
  if (complete && total <= NAMED) {
    return `${total === 1 ? 'Row' : 'Rows'} ${rowsInOrder(unusual, facts)} ${total === 1 ? 'is' : 'are'} unusual${forModel}.`;
  }
  return `${plural(total, 'row')} of ${count(facts.rows)} ${total === 1 ? 'is' : 'are'} unusual${forModel}${foremost(found, facts)}.`;
}

function foremost({ unusual }: UnusualRows, facts: DescribedRows): string {
  const rows = unusual.slice(0, 3).map(({ row }) => rowTitle(facts, row));
  return rows.length === 0 ? '' : `, most of all ${rows.length === 1 ? 'row' : 'rows'} ${listed(rows)}`;
}

/** "3 (Karpov) and 17": in the order of the data. */
function rowsInOrder(rows: readonly { readonly row: number }[], facts: DescribedRows): string {
  const sorted = [...rows].sort((a, b) => facts.numberOf(a.row) - facts.numberOf(b.row));
  return listed(sorted.map(({ row }) => rowTitle(facts, row)));
}

/** Explains which limit rows exceed, what it means, and how many rows are beyond the usual limits. */
export function explainUnusual(
  model: DescribedModel,
  found: UnusualRows,
  facts: DescribedRows,
  /** True if another measure shows unusual rows. */
  others = false,
): string[] {
  if (!hasLimits(found)) return [describeUnusual(found, facts)];
  return [
    others && found.counts.either === 0
      ? 'T² and Q show no unusual row.'
      : describeUnusual(found, facts).replace(/\.$/, '') + causes(found, facts),
    model.k === 0
      ? `No component is kept, so rows are compared with the ${centre(model, found)} alone: Q is the squared distance of a row from it.`
      : `T² (Hotelling) measures how far a row lies from the ${centre(model, found)} within the ${model.uniqueness.rank === 1 ? 'component' : `${count(model.uniqueness.rank)} components together`}, relative to ${model.uniqueness.rank === 1 ? 'its variance' : 'their variances'}; Q is the squared distance of a row from its reconstruction.`,
    meaning(found, facts),
    usualLimits(model, found, facts),
    ...hiding(found, facts),
    ...whyNoLimit(model, found),
  ];
}

/** "the mean", "the first component", "the first 3 components". */
export function firstComponents({ k }: Pick<ComparedModel, 'k'>): string {
  if (k === 0) return 'the mean';
  return `the first ${k === 1 ? 'component' : plural(k, 'component')}`;
}

/** Returns true if there are limits for unusual rows. */
export function hasLimits({ unusualLimits }: UnusualRows): boolean {
  return unusualLimits.t2 !== null || unusualLimits.q !== null;
}

function centre({ centered }: DescribedModel, { kind }: UnusualRows): string {
  return centered ? (kind === 'new' ? 'mean of the fit' : 'mean') : 'origin';
}

/** The end of the sentence about unusual rows: the limits that they exceed. Rows are named here if the sentence names all of them. */
function causes({ unusual, complete, counts: { t2, q, either } }: UnusualRows, facts: DescribedRows): string {
  if (t2 === 0 && q === 0) return '.';
  if (t2 === either && q === either) return ': beyond the limits of T² and of Q.';
  if (q === 0) return ': beyond the limit of T².';
  if (t2 === 0) return ': beyond the limit of Q.';
  const named = complete && unusual.length <= NAMED;
  const say = (own: readonly { readonly row: number }[], total: number, what: string): string => {
    const rows = named ? `${total === 1 ? 'row' : 'rows'} ${rowsInOrder(own, facts)}` : plural(total, 'row');
    return `${rows} ${total === 1 ? 'is' : 'are'} beyond the limit of ${what}`;
  };
  const far = unusual.filter(({ ratios }) => ratios.t2 > 1);
  const off = unusual.filter(({ ratios }) => ratios.q > 1);
  return `. ${capitalised(`${say(far, t2, 'T²')} and ${say(off, q, 'Q')}`)}.`;
}

function meaning({ unusualLimits: { t2, q }, kind }: UnusualRows, { rows }: DescribedRows): string {
  const above = [
    ...(t2 === null ? [] : [`T² above ${formatNumber(t2, 3)}`]),
    ...(q === null ? [] : [`Q above ${formatNumber(q, 3)}`]),
  ];
  const like = kind === 'new' ? ' like those of the fit' : '';
  const tables = `of 100 tables with ${plural(rows, 'row')}${like}, normally distributed, about 5 would have a row beyond them`;
  return `Unusual means ${above.join(' or ')}. The limits allow for the number of rows (Bonferroni): ${tables}.`;
}

function usualLimits(
  { n }: DescribedModel,
  { limits: { t2, q }, beyond, kind, exact }: UnusualRows,
  { rows }: DescribedRows,
): string {
  const known = [
    ...(t2 === null ? [] : [{ name: 'T²', limit: t2, beyond: beyond.t2 }]),
    ...(q === null ? [] : [{ name: 'Q', limit: q, beyond: beyond.q }]),
  ];
  const good = kind === 'new' ? 'rows like those of the fit' : 'good rows';
  const few = kind === 'new' && q !== null && n < 500 ? ', somewhat more beyond that of Q after a fit of few rows' : '';
  const here = known.map(
    ({ name, beyond: many }) =>
      `${exact ? '' : 'about '}${plural(many, 'row')} (${percent(many / rows)}) beyond that of ${name}`,
  );
  const spread = Math.sqrt(0.05 * 0.95 * rows);
  const excess = kind === 'fit' && known.some((each) => each.beyond > 0.05 * rows + 4 * spread);
  return [
    `The usual 95 % ${known.length === 1 ? 'limit is' : 'limits are'} ${listed(known.map(({ name, limit }) => `${formatNumber(limit, 3)} for ${name}`))}: about 5 % of ${good} are beyond ${known.length === 1 ? 'it' : 'each'}${few}. Here there ${known[0].beyond === 1 ? 'is' : 'are'} ${listed(here)}.`,
    ...(excess
      ? [
          'Normally distributed rows would hardly show so many: these rows may form groups or have heavy tails, and then the limits are too narrow.',
        ]
      : []),
  ].join(' ');
}

/**
 * Several distant rows widen the limits and hide within them. Then most rows have less T² than normally distributed rows, by four
 * standard deviations of their count.
 */
function hiding({ kind, aboveMedian, limits }: UnusualRows, { rows }: DescribedRows): string[] {
  if (kind === 'new' || limits.t2 === null || aboveMedian >= rows / 2 - 2 * Math.sqrt(rows)) return [];
  return [
    `Only ${percent(aboveMedian / rows)} of the rows have as much T² as half of normally distributed rows would: rows far away, or a group of them, may widen the limits and hide in them. Look at the scores.`,
  ];
}

function whyNoLimit(model: DescribedModel, { limits, kind }: UnusualRows): string[] {
  const { t2, q, methods } = limits;
  return [
    ...(t2 === null && model.k > 0
      ? ['T² has no limit, because the fit has too few rows for so many components.']
      : []),
    ...(q !== null
      ? methods.jacksonMudholkar === null && methods.box === null
        ? [
            'The limit of Q follows from the mean and the variance of Q in these rows, because the solver did not compute the variances of the components left out.',
          ]
        : []
      : isWhole(model)
        ? ['Q has no limit, because the components leave nothing out of the rows of the fit.']
        : [
            kind === 'new'
              ? 'Q has no limit here, because the model does not have the variances of the components left out.'
              : 'Q has no limit here.',
          ]),
  ];
}

/** Returns true if the components keep all variance of the fit within rounding. */
function isWhole({ k, d, noiseVariance, totalVariance, uniqueness }: DescribedModel): boolean {
  return uniqueness.rank < k || noiseVariance * (d - k) <= 1e-13 * totalVariance;
}
