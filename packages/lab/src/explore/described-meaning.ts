import type { ComponentMeaning } from '@scree/analysis';
import { shorten } from '../shorten.js';
import type { Fitted } from '../state/fit.js';

/** Longest names in a sentence. */
const NAME_LENGTH = 40;

/** The meaning of a component, with names that fit into a sentence. Pixels of pictures are not named. */
export function describedMeaning(meaning: ComponentMeaning, { data: { info } }: Fitted): ComponentMeaning {
  const short = (name: string): string => shorten(name, NAME_LENGTH);
  const named = <Each extends { readonly name: string }>(all: readonly Each[]): Each[] =>
    all.map((each) => ({ ...each, name: short(each.name) }));
  const grouped = (groups: ComponentMeaning['groups']): ComponentMeaning['groups'] =>
    named(groups).map((group) => ({
      ...group,
      levels: group.levels.map((level) => ({ ...level, level: short(level.level) })),
    }));
  const { ranges, together, ...others } = meaning;
  const ordered =
    info.picture || !ranges
      ? {}
      : { ranges: ranges.map((range) => ({ ...range, from: short(range.from), to: short(range.to) })) };
  return {
    ...others,
    ...ordered,
    ...(info.picture || !together ? {} : { together }),
    columns: info.picture ? [] : named(meaning.columns),
    categories: grouped(meaning.categories),
    supplementary: named(meaning.supplementary),
    groups: grouped(meaning.groups),
  };
}
