import { CATEGORY_COLOURS } from '@scree/analysis/describe';
import { type ColourCodes, SHADES } from './messages.js';

/** The largest number of groups with different colours. All other groups share one colour. */
const MAX_GROUPS = CATEGORY_COLOURS.length;
/** A column with at most this many different whole numbers contains groups rather than amounts. */
const MAX_GROUPED_NUMBERS = MAX_GROUPS;

/** A column of text as groups. The largest groups have names, and are sorted by name. */
export function groupCodes(texts: readonly (string | null)[], inOrder: (a: string, b: string) => number): ColourCodes {
  const rows = new Map<string | null, number>();
  for (const text of texts) rows.set(text, (rows.get(text) ?? 0) + 1);
  // Rows without a value come last. They are not the same as a group of that name.
  const byName = (a: string | null, b: string | null): number =>
    a === null || b === null ? Number(a === null) - Number(b === null) : inOrder(a, b);
  const all = [...rows.keys()];
  const others = all.length > MAX_GROUPS;
  const bySize = (a: string | null, b: string | null): number =>
    (rows.get(b) ?? 0) - (rows.get(a) ?? 0) || byName(a, b);
  const named = others ? firstOf(all, MAX_GROUPS, bySize) : all;
  named.sort(byName);
  const indexes = new Map(named.map((name, at) => [name, at]));
  const codes = Uint8Array.from(texts, (text) => indexes.get(text) ?? named.length);
  const counts = new Array<number>(named.length + (others ? 1 : 0)).fill(0);
  for (const code of codes) counts[code]++;
  const names = named.map((name) => name ?? MISSING);
  if (others) names.push(`${all.length - named.length} ${all.length - named.length === 1 ? 'other' : 'others'}`);
  const missing = named.indexOf(null);
  return { kind: 'groups', codes, names, counts, others, ...(missing < 0 ? {} : { missing }) };
}

/** The first items in order. They are found without sorting all items, which would take seconds for a million different names. */
function firstOf<Item>(items: readonly Item[], count: number, inOrder: (a: Item, b: Item) => number): Item[] {
  const first: Item[] = [];
  for (const item of items) {
    if (first.length === count && inOrder(item, first[count - 1]) >= 0) continue;
    const at = first.findIndex((other) => inOrder(item, other) < 0);
    first.splice(at < 0 ? first.length : at, 0, item);
    if (first.length > count) first.pop();
  }
  return first;
}

/** The name of the group of rows without a value. */
const MISSING = '(missing)';

/** A column of numbers: groups if it has few different whole numbers, a scale otherwise. */
export function numberCodes(numbers: Float64Array): ColourCodes {
  const few = new Set<number>();
  for (const value of numbers) {
    if (Number.isNaN(value)) continue;
    few.add(value);
    if (!Number.isInteger(value) || few.size > MAX_GROUPED_NUMBERS) break;
  }
  if (few.size <= MAX_GROUPED_NUMBERS && [...few].every(Number.isInteger)) {
    const texts = Array.from(numbers, (value) => (Number.isNaN(value) ? null : String(value)));
    return groupCodes(texts, (a, b) => Number(a) - Number(b));
  }
  return shadeCodes(numbers);
}

/** Numbers as steps of a colour scale. */
export function shadeCodes(numbers: Float64Array, { low, high } = rangeOf(numbers)): ColourCodes {
  const range = high > low ? high - low : Number.POSITIVE_INFINITY;
  const codes = Uint8Array.from(numbers, (value) =>
    Number.isNaN(value) ? SHADES : Math.round((SHADES - 1) * Math.max(0, Math.min(1, (value - low) / range))),
  );
  return { kind: 'shades', codes, low, high };
}

/** The range without the lowest and the highest 1 %, so that single extreme values do not use up the colours. */
function rangeOf(numbers: ArrayLike<number>): { low: number; high: number } {
  const step = Math.max(1, Math.floor(numbers.length / 20_000));
  const some: number[] = [];
  for (let i = 0; i < numbers.length; i += step) if (Number.isFinite(numbers[i])) some.push(numbers[i]);
  some.sort((a, b) => a - b);
  if (some.length === 0) return { low: 0, high: 1 };
  const at = (share: number): number => some[Math.min(some.length - 1, Math.floor(share * some.length))];
  const [low, high] = [at(0.01), at(0.99)];
  return high > low ? { low, high } : { low: some[0], high: some[some.length - 1] };
}
