import { OptionError } from '@scree/core';

/** The options that list columns. */
export type ListOption = 'columns' | 'exclude' | 'categories' | 'codes' | 'supplementary' | 'groups';

/** A column with its name. */
interface NamedColumn {
  readonly name: string;
}

/**
 * The indexes of the columns that a range or a pattern names. `FL..BD` and `V1-V100` are the columns from the first to the last in the
 * order of the file. `/^gene/` and `/^gene/i` are the columns whose names match. Undefined for other texts. The caller looks for a
 * column of this name first. `option` is the option that has the text.
 */
export function columnRange(
  given: string,
  columns: readonly NamedColumn[],
  option: ListOption = 'columns',
): readonly number[] | undefined {
  const [, source, flags] = /^\/(.+)\/(i?)$/.exec(given) ?? [];
  if (source !== undefined) {
    const pattern = expression(given, source, flags, option);
    const found = [...columns.keys()].filter((j) => pattern.test(columns[j].name));
    if (found.length > 0) return found;
    throw bad(`No name of a column matches ${given}.`, given, option);
  }
  const ends = rangeEnds(given, (name) => columns.some((column) => column.name === name));
  if (!ends) return undefined;
  const [first, last] = ends.map((end) => columns.findIndex(({ name }) => name === end));
  if (first > last) {
    throw bad(
      `${given} is no range of columns: ${JSON.stringify(ends[1])} comes before ${JSON.stringify(ends[0])} in the file. Exchange them.`,
      given,
      option,
    );
  }
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** The names at both ends of a range such as `a..b` or `a-b`, if both are names of columns. Names may contain dots and hyphens. */
export function rangeEnds(given: string, isName: (text: string) => boolean): readonly [string, string] | undefined {
  for (const mark of ['..', '-']) {
    for (let at = given.indexOf(mark); at >= 0; at = given.indexOf(mark, at + 1)) {
      const ends = [given.slice(0, at).trim(), given.slice(at + mark.length).trim()] as const;
      if (ends.every(isName)) return ends;
    }
  }
  return undefined;
}

function expression(given: string, source: string, flags: string, option: ListOption): RegExp {
  try {
    return new RegExp(source, `u${flags}`);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : '';
    throw bad(`${given} is no regular expression: ${why}.`, given, option);
  }
}

function bad(message: string, value: string, option: ListOption): OptionError {
  return new OptionError('BAD_OPTION', message, { option, value });
}
