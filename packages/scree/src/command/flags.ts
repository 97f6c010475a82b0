/** The declaration of a flag. */
export interface Flag {
  readonly name: string;
  /** One letter: -k. */
  readonly short?: string;
  /** The placeholder of the value in the help. A flag without one is on or off. */
  readonly value?: string;
  readonly what: string;
  /** The accepted values, if there are only a few. */
  readonly choices?: readonly string[];
  /** Parses the value, or says what it must be. */
  readonly read?: (text: string) => Read;
}

export type Read = { readonly value: unknown } | { readonly must: string };

/** A flag with a text as its value. */
export const text = (name: string, value: string, what: string, short?: string): Flag => ({
  name,
  value,
  what,
  ...(short ? { short } : {}),
  read: (given) => (given === '' ? { must: 'not be empty' } : { value: given }),
});

/** A flag without a value. */
export const toggle = (name: string, what: string, short?: string): Flag => ({
  name,
  what,
  ...(short ? { short } : {}),
});

/** A flag with one of some choices. The help lists them as the value, or below the flag if `value` is given. */
export const choice = (name: string, choices: readonly string[], what: string, value = choices.join('|')): Flag => ({
  name,
  value,
  what,
  choices,
  read: (given) => (choices.includes(given) ? { value: given } : { must: `be one of ${choices.join(', ')}` }),
});

/** A flag with a number that must pass `test`; `must` completes the message "it must …". */
export const number = (
  name: string,
  value: string,
  what: string,
  must: string,
  test: (value: number) => boolean,
  short?: string,
): Flag => ({
  name,
  value,
  what,
  ...(short ? { short } : {}),
  read: (given) => {
    const found = given.trim() === '' ? Number.NaN : Number(given);
    return test(found) ? { value: found } : { must };
  },
});

/** A flag with names separated by commas. A name with a comma is quoted, "height, cm", or its comma is doubled. */
export const list = (name: string, value: string, what: string): Flag => ({
  name,
  value,
  what,
  read: (given) => {
    const names = readList(given);
    return names ? { value: names } : { must: 'be names divided by commas' };
  },
});

/** Names separated by commas. Undefined if the text is not a list. */
export function readList(given: string): string[] | undefined {
  const names: string[] = [];
  // Every name ends in a comma. If the expression does not match the rest, the text is not a list.
  const next = /\s*"((?:[^"]|"")*)"\s*,|((?:[^,]|,,)+),(?!,)/y;
  const text = `${given},`;
  while (next.lastIndex < text.length) {
    const found = next.exec(text);
    if (!found) return undefined;
    const [, quoted, plain] = found;
    names.push(quoted?.replaceAll('""', '"') ?? plain.replaceAll(',,', ','));
  }
  return names;
}

/** A flag with rows counted from 1: 24-27,30. Its value are ranges counted from 0, both ends included. */
export const rowRanges = (name: string, what: string): Flag => ({
  name,
  value: 'ROWS',
  what,
  read: (given) => {
    const ranges = given.split(',').map((part) => {
      const [, first, last = first] = /^\s*(\d{1,15})(?:-(\d{1,15}))?\s*$/.exec(part) ?? [];
      return [Number(first) - 1, Number(last) - 1] as const;
    });
    const valid = ranges.every(([first, last]) => first >= 0 && last >= first);
    return valid ? { value: ranges } : { must: 'be rows counted from 1, such as 24-27 or 3,8,24-27' };
  },
});

/** Powers of the unit: MB are 1000² bytes, as sizes are shown, and MiB 1024². */
const POWERS = ['', 'k', 'm', 'g', 't'];

/** A flag with a size in bytes: 500MB, 1GB, 1.5g, 512MiB. */
export const size = (name: string, what: string, min = 0): Flag => ({
  name,
  value: 'SIZE',
  what,
  read: (given) => {
    const [, digits, unit, binary] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?$/i.exec(given.trim()) ?? [];
    if (digits === undefined) return { must: 'be a size such as 500MB or 2GB' };
    const bytes = Math.round(Number(digits) * (binary ? 1024 : 1000) ** POWERS.indexOf(unit.toLowerCase()));
    return bytes < min ? { must: `be ${min / 1e6}MB or more` } : { value: bytes };
  },
});
