import { readRegularFile } from '../disk/regular-file.js';
import { UsageError } from './usage-error.js';

/** Bytes of the largest file of weights: millions of columns. */
const LARGEST = 100e6;

/**
 * One weight per column from a file. The file is a JSON object, {"height": 2}, or has lines with a column and its weight, divided by a
 * comma or a tab, with or without a header. Columns that are not in the file have weight 1.
 */
export async function readColumnWeights(path: string, columns: readonly string[]): Promise<Float64Array> {
  const text = (await readRegularFile(path, { what: 'column weights', limitOf: () => LARGEST })).toString('utf8');
  const given = weightsIn(text.replace(/^\uFEFF/, '').trim(), path);
  const unknown = [...given.keys()].find((name) => !columns.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`${path} has a weight of ${JSON.stringify(unknown)}, which is not a column that is analysed.`);
  return Float64Array.from(columns, (name) => given.get(name) ?? 1);
}

function weightsIn(text: string, path: string): Map<string, number> {
  const pairs = text.startsWith('{') ? jsonPairs(text, path) : linePairs(text);
  const weights = new Map<string, number>();
  for (const [name, value] of pairs) {
    const weight = typeof value === 'number' ? value : Number(value.trim() === '' ? Number.NaN : value);
    if (!(weight > 0 && weight < Number.POSITIVE_INFINITY))
      throw new UsageError(
        `${path} has the weight ${JSON.stringify(value)} of ${JSON.stringify(name)}. Weights must be numbers above 0; use --exclude to leave a column out.`,
      );
    if (weights.has(name)) throw new UsageError(`${path} has two weights of ${JSON.stringify(name)}.`);
    weights.set(name, weight);
  }
  if (weights.size === 0) throw new UsageError(`${path} has no weights: write lines such as height,2.`);
  return weights;
}

function jsonPairs(text: string, path: string): [string, string | number][] {
  try {
    return Object.entries(JSON.parse(text) as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : String(value),
    ]);
  } catch (error) {
    throw new UsageError(`${path} is not valid JSON (${(error as Error).message}).`);
  }
}

/** The weight follows the last comma or tab, so a name may contain commas. Quotation marks around a name are removed. */
function linePairs(text: string): [string, string][] {
  const pairs = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line): [string, string] => {
      const at = Math.max(line.lastIndexOf(','), line.lastIndexOf('\t'));
      const name = line.slice(0, Math.max(at, 0)).trim();
      return [/^".*"$/.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name, line.slice(at + 1)];
    });
  // The first line is a header if it has a word instead of a weight.
  return pairs.length > 1 && /^\s*"?[a-z_ ]+"?\s*$/i.test(pairs[0][1]) ? pairs.slice(1) : pairs;
}
