import type { Model } from '@scree/core';
import { columnContributions } from '../meaning/column-contributions.js';
import {
  type ComponentFacts,
  type ComponentMeaning,
  componentMeaning,
  type RelatedColumn,
  type RelatedGroups,
  type RelatedRange,
} from '../meaning/component-meaning.js';
import { count, listed, percent } from './numbers.js';

/** Most columns that a sentence names on each side, and most categories. */
const MOST_NAMED = 4;

/** Facts for the description of a component, besides the model. */
export interface DescribedComponentFacts extends ComponentFacts {
  /** Most columns named on each side. Default 4. */
  readonly most?: number;
}

/**
 * One sentence per component with a meaning: "PC1 (37 %): more flavanoids and phenols, less nonflavanoids; separates the 3 levels of
 * cultivar (η² .78): highest for 1, lowest for 3." `componentMeaning` has the rules.
 */
export function describeComponents(model: Model, facts: DescribedComponentFacts = {}): string[] {
  const columns = facts.columns ?? columnContributions(model);
  const sentences = Array.from({ length: model.k }, (_, c) => describeComponent(model, c, { ...facts, columns }));
  return sentences.filter((sentence) => sentence !== undefined);
}

/** The sentence about component `c`, counted from 0; undefined if there is nothing to say. */
export function describeComponent(model: Model, c: number, facts: DescribedComponentFacts = {}): string | undefined {
  const meaning = componentMeaning(model, c, facts);
  return meaning && describeMeaning(meaning, facts.most);
}

/** The sentence about a component; undefined if nothing is significant. */
export function describeMeaning(meaning: ComponentMeaning, most = MOST_NAMED): string | undefined {
  const title = `PC${meaning.component} (${share(meaning.share)})`;
  if (!meaning.determined) return `${title}: not determined by the data; other axes fit as well.`;
  const parts = meaningParts(meaning, most);
  return parts.length === 0 ? undefined : `${title}: ${parts.join('; ')}.`;
}

/** The significant relations of a component, as parts of a sentence. */
export function meaningParts(
  { columns, categories, supplementary, groups, together, ranges }: ComponentMeaning,
  most = MOST_NAMED,
): string[] {
  return [
    ...(together
      ? ['all columns rise together']
      : ranges
        ? columnPart(ranges.map(rangeTitle), most)
        : columnPart(columns, most)),
    ...categoryParts(categories.map(groupPart), most),
    ...relatedPart(supplementary, most),
    ...groups.map(groupPart),
  ];
}

/** The strongest categories; the others are counted. */
function categoryParts(parts: readonly string[], most: number): string[] {
  if (parts.length <= most + 1) return [...parts];
  const more = count(parts.length - most);
  return [...parts.slice(0, most), `differs between levels of ${more} more categories`];
}

/** "V150–V230": neighbouring columns of a spectrum. */
function rangeTitle({ from, to, correlation }: RelatedRange): RelatedColumn {
  return { name: from === to ? from : `${from}–${to}`, correlation };
}

/** "more a and b, less c". */
function columnPart(named: readonly RelatedColumn[], most: number): string[] {
  const sides = [
    { word: 'more', of: named.filter(({ correlation }) => correlation > 0) },
    { word: 'less', of: named.filter(({ correlation }) => correlation < 0) },
  ].filter(({ of }) => of.length > 0);
  if (sides.length === 0) return [];
  return [
    sides
      .map(
        ({ word, of }) =>
          `${word} ${listedUpTo(
            of.map(({ name }) => name),
            most,
          )}`,
      )
      .join(', '),
  ];
}

/** "correlates with a (r .96) and b (r −.70)". */
function relatedPart(related: readonly RelatedColumn[], most: number): string[] {
  if (related.length === 0) return [];
  return [
    `correlates with ${listedUpTo(
      related.map(({ name, correlation: r }) => `${name} (r ${shortDecimal(r)})`),
      most,
    )}`,
  ];
}

/**
 * "separates the 3 levels of g (η² .78): highest for a, lowest for b", or "higher for a than for b (g, η² .40)". The verb is
 * "separates" if at least half of the variance is between the groups.
 */
function groupPart({ name, levels, eta2 }: RelatedGroups): string {
  const [highest, lowest] = [levels[0], levels[levels.length - 1]];
  const eta = `η² ${shortDecimal(eta2)}`;
  if (levels.length === 2) return `higher for ${highest.level} than for ${lowest.level} (${name}, ${eta})`;
  const ends = [
    ...(highest.significant && highest.vTest > 0 ? [`highest for ${highest.level}`] : []),
    ...(lowest.significant && lowest.vTest < 0 ? [`lowest for ${lowest.level}`] : []),
  ];
  const verb = eta2 >= 0.5 ? 'separates' : 'differs between';
  const whole = `${verb} the ${count(levels.length)} levels of ${name} (${eta})`;
  return ends.length === 0 ? whole : `${whole}: ${ends.join(', ')}`;
}

/** "a, b and 3 more". */
function listedUpTo(names: readonly string[], most: number): string {
  // "and 1 more" is as long as a name.
  if (names.length <= most + 1) return listed(names);
  return listed([...names.slice(0, most), `${count(names.length - most)} more`]);
}

/** .78, −.30: two decimals, or more if the number would be rounded to 1. */
export function shortDecimal(value: number): string {
  const size = Math.abs(value);
  let decimals = 2;
  while (size < 1 && decimals < 15 && Number(size.toFixed(decimals)) === 1) decimals++;
  return `${value < 0 ? '−' : ''}${size.toFixed(decimals).replace(/^0/, '')}`;
}

/** 37 %; with one decimal below one per cent. */
function share(ratio: number): string {
  const value = 100 * ratio;
  // A share below 1 is not shown as 100 %.
  if (value >= 99.5) return percent(ratio);
  return `${value >= 1 ? Math.round(value) : value >= 0.05 ? value.toFixed(1) : '<\u00a00.1'}\u00a0%`;
}
