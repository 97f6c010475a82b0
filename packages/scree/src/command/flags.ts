/** A flag as it is declared: what it is called, what it takes, what it is for. */
export interface Flag {
  readonly name: string;
  /** One letter: -k. */
  readonly short?: string;
  /** What a value is called in the help; a flag without one is on or off. */
  readonly value?: string;
  readonly what: string;
  /** The accepted values, where there are only a few. */
  readonly choices?: readonly string[];
  /** Turns the text into a value; a message instead of a value refuses it. */
  readonly read?: (text: string) => Read;
}

export type Read = { readonly value: unknown } | { readonly must: string };

/** Text as it is. */
export const text = (name: string, value: string, what: string, short?: string): Flag => ({
  name,
  value,
  what,
  ...(short ? { short } : {}),
  read: (given) => (given === '' ? { must: 'not be empty' } : { value: given }),
});

/** On, or not there. */
export const on = (name: string, what: string, short?: string): Flag => ({ name, what, ...(short ? { short } : {}) });

/** One of some choices. The help lists them as the value, or below the flag if `value` is a name for them. */
export const choice = (name: string, choices: readonly string[], what: string, value = choices.join('|')): Flag => ({
  name,
  value,
  what,
  choices,
  read: (given) => (choices.includes(given) ? { value: given } : { must: `be one of ${choices.join(', ')}` }),
});

/** A number that passes a test. */
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

/** Names divided by commas. A name that has a comma is quoted, "height, cm", or its comma is doubled. */
export const list = (name: string, value: string, what: string): Flag => ({
  name,
  value,
  what,
  read: (given) => {
    const names: string[] = [];
    // Every name ends in a comma; what is left where the expression cannot go on is no list.
    const next = /\s*"((?:[^"]|"")*)"\s*,|((?:[^,]|,,)+),(?!,)/y;
    const text = `${given},`;
    while (next.lastIndex < text.length) {
      const found = next.exec(text);
      if (!found) return { must: 'be names divided by commas' };
      const [, quoted, plain] = found;
      names.push(quoted?.replaceAll('""', '"') ?? plain.replaceAll(',,', ','));
    }
    return { value: names };
  },
});

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** Bytes: 500MB, 1GB, 1.5g. */
export const size = (name: string, what: string, least = 0): Flag => ({
  name,
  value: 'SIZE',
  what,
  read: (given) => {
    const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$/i.exec(given.trim()) ?? [];
    if (digits === undefined) return { must: 'be a size such as 500MB or 2GB' };
    const bytes = Math.round(Number(digits) * UNITS[unit.toLowerCase()]);
    return bytes < least ? { must: `be ${least / 2 ** 20}MB or more` } : { value: bytes };
  },
});
