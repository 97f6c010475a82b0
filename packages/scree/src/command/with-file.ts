import { collectAbandonedFolders } from '../disk/abandoned-folders.js';
import { type DataFile, type OpenOptions, openFile, openFiles } from '../disk/index.js';
import { nameFile } from './describe-error.js';
import { UsageError } from './usage-error.js';

/** Opens a data file, or several as one table, passes it to `use`, and closes it. */
export async function withFile<Result>(
  given: string | readonly string[] | undefined,
  options: OpenOptions,
  use: (file: DataFile) => Promise<Result>,
): Promise<Result> {
  const paths = typeof given === 'string' ? [given] : (given ?? []);
  const [path] = paths;
  if (paths.includes('') || (path === undefined && options.sql === undefined))
    throw new UsageError('Name a data file, or - for standard input, or ask for data with --sql.');
  // Beside the work: what a killed command left may be many gigabytes.
  void collectAbandonedFolders();
  try {
    const file = paths.length > 1 ? await openFiles(paths, options) : await openFile(path, options);
    try {
      return await use(file);
    } catch (error) {
      throw await file.explain(error);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw nameFile(error, paths.length > 1 ? `${path} and ${paths.length - 1} more` : path);
  }
}

/** Reading a file up to this size once more takes hardly any time. */
const SMALL_FILE = 32 * 2 ** 20;

/** Reads a small file once to count its rows, if their number is unknown, so that the plan can choose among all solvers. */
export async function countRowsOfSmallFile(
  { source, bytes }: Pick<DataFile, 'source' | 'bytes'>,
  signal: AbortSignal,
): Promise<void> {
  if (source.rows !== undefined || !source.rereadable || bytes === undefined || bytes > SMALL_FILE) return;
  for await (const _ of source.blocks()) signal.throwIfAborted();
}
