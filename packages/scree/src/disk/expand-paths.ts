import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path, { join, resolve } from 'node:path';
import { FileError } from '@scree/files';
import { systemError } from './system-error.js';

/** Names of data files inside a folder. Other files, such as notes and scripts, are read only if they are named. */
const DATA_NAME =
  /\.(csv|tsv|txt|json|ndjson|jsonl|npy|npz|parquet|pq|arrow|feather|ipc|idx\d?-ubyte)(\.(gz|gzip|zst|zstd))?$/i;
/** Maximum depth of folders in folders, because links may form a circle. */
const DEEPEST = 32;

/** Returns true if a name stands for several files: a folder, or a pattern that is not itself the name of a file. */
export async function namesSeveral(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats ? stats.isDirectory() : isPattern(path);
}

/** The address of a server may contain a question mark. */
function isPattern(path: string): boolean {
  return /[*?[{]/.test(path) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(path);
}

/**
 * Returns the files of names, patterns (*, ?, [a-z], {a,b} and ** for folders at any depth) and folders, in natural order: part-2 before
 * part-10. Patterns and folders leave out hidden files and files whose names begin with _. Folders contribute only files whose names match
 * `data`.
 */
export async function expandPaths(given: readonly string[], data = DATA_NAME): Promise<string[]> {
  const found: string[] = [];
  for (const path of given) found.push(...(await expand(path, data)));
  found.sort(inNaturalOrder);
  const seen = new Set<string>();
  for (const path of found) {
    const whole = resolve(path);
    if (seen.has(whole)) throw new FileError('BAD_FILE', path, `${path} is named twice. Name every file once.`);
    seen.add(whole);
  }
  return found;
}

async function expand(path: string, data: RegExp): Promise<string[]> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory()) {
    const files = (await filesBelow(path, 0)).filter((file) => data.test(file));
    if (files.length > 0) return files;
    throw new FileError(
      'NO_FILE',
      path,
      `${path} is a folder without data files. Name files, or a pattern: '${join(path, '*')}'.`,
    );
  }
  // A missing file gets its error when it is opened.
  if (stats || !isPattern(path)) return [path];
  const files = new Set<string>();
  for (const pattern of braces(path)) for (const file of await matching(pattern)) files.add(file);
  if (files.size === 0) throw new FileError('NO_FILE', path, `No file matches ${path}.`);
  return [...files];
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder === '' ? '.' : folder, { withFileTypes: true });
  } catch (error) {
    throw systemError(error, folder, 'read');
  }
}

async function kindOf(path: string, entry: Dirent): Promise<'file' | 'folder' | undefined> {
  if (!entry.isSymbolicLink()) return entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : undefined;
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() ? 'folder' : stats?.isFile() ? 'file' : undefined;
}

async function filesBelow(folder: string, depth: number): Promise<string[]> {
  if (depth > DEEPEST) return [];
  const found: string[] = [];
  for (const entry of await entriesOf(folder)) {
    if (/^[._]/.test(entry.name)) continue;
    const path = folder === '' ? entry.name : join(folder, entry.name);
    const kind = await kindOf(path, entry);
    if (kind === 'file') found.push(path);
    else if (kind === 'folder') found.push(...(await filesBelow(path, depth + 1)));
  }
  return found;
}

/** a{b,c} as ab and ac. */
function braces(pattern: string): string[] {
  const [whole, choices] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined || choices === undefined) return [pattern];
  return choices.split(',').flatMap((choice) => braces(pattern.replace(whole, () => choice)));
}

/**
 * The root folder of a pattern ('' for the current folder), and the parts of its path after the root. Tests pass the `path` module of
 * another system.
 */
export function stepsOf(pattern: string, system: path.PlatformPath = path): { root: string; steps: string[] } {
  // The root of C:\data\*.csv is C:\. Without its backslash it would be the current folder of that disk.
  const { root } = system.parse(pattern);
  const steps = pattern.slice(root.length).split(system.sep === '\\' ? /[\\/]/ : '/');
  return { root, steps };
}

/** The files that a pattern matches, one part of its path after the other. */
async function matching(pattern: string): Promise<string[]> {
  const { root, steps } = stepsOf(pattern);
  let folders = [root];
  const last = steps.pop() ?? '';
  for (const step of steps)
    folders = (await Promise.all(folders.map((folder) => inside(folder, step, 'folder')))).flat();
  const files = last === '**' ? await Promise.all(folders.map((each) => filesBelow(each, 0))) : undefined;
  return files?.flat() ?? (await Promise.all(folders.map((folder) => inside(folder, last, 'file')))).flat();
}

/** The files or folders inside a folder that match one part of a pattern. */
async function inside(folder: string, step: string, wanted: 'file' | 'folder'): Promise<string[]> {
  if (step === '**') return [folder, ...(await foldersBelow(folder, 0))];
  if (!isPattern(step)) {
    const path = folder === '' ? step : join(folder, step);
    const stats = await stat(path === '' ? '.' : path).catch(() => undefined);
    return stats && (wanted === 'folder' ? stats.isDirectory() : stats.isFile()) ? [path] : [];
  }
  const test = asExpression(step);
  const found: string[] = [];
  for (const entry of await entriesOf(folder).catch(() => [])) {
    if (!test.test(entry.name) || (/^[._]/.test(entry.name) && !/^[._]/.test(step))) continue;
    const path = folder === '' ? entry.name : join(folder, entry.name);
    if ((await kindOf(path, entry)) === wanted) found.push(path);
  }
  return found;
}

async function foldersBelow(folder: string, depth: number): Promise<string[]> {
  if (depth > DEEPEST) return [];
  const found: string[] = [];
  for (const path of await inside(folder, '*', 'folder')) found.push(path, ...(await foldersBelow(path, depth + 1)));
  return found;
}

function asExpression(step: string): RegExp {
  const source = step.replace(
    /\[(!?)([^\]]+)\]|[*?]|[\\^$.|+(){}[\]]/g,
    (found, not: string, set: string | undefined) => {
      if (found === '*') return '.*';
      if (found === '?') return '.';
      return set === undefined ? `\\${found}` : `[${not ? '^' : ''}${set.replace(/[\\^\]]/g, '\\$&')}]`;
    },
  );
  // On Windows, A.CSV and a.csv are the same file.
  return new RegExp(`^${source}$`, process.platform === 'win32' ? 'sui' : 'su');
}

/** Compares numbers inside names by value, and everything else by characters: part-2 comes before part-10. */
export function inNaturalOrder(a: string, b: string): number {
  const [left, right] = [a.match(/\d+|\D+/g) ?? [], b.match(/\d+|\D+/g) ?? []];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i], right[i]];
    if (x === y) continue;
    if (/^\d/.test(x) && /^\d/.test(y)) {
      const [p, q] = [BigInt(x), BigInt(y)];
      if (p !== q) return p < q ? -1 : 1;
      continue;
    }
    return x < y ? -1 : 1;
  }
  return left.length - right.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** The columns that folders name, as Hive and Spark write them: {year: '2024'} for data/year=2024/part-0.parquet. */
export function partitionsOf(path: string): Record<string, string | null> {
  const found = new Map<string, string | null>();
  for (const step of path.split(/[\\/]/).slice(0, -1)) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(step) ?? [];
    if (key !== undefined && value !== undefined) found.set(decode(key), value === NO_VALUE ? null : decode(value));
  }
  return Object.fromEntries(found);
}

const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
