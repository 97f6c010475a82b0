import { type DataFile, type FileOptions, openFile } from '../disk/index.js';
import { nameFile } from './describe-error.js';
import { UsageError } from './usage-error.js';

/** A data file for as long as `use` takes; closed whatever happens. */
export async function withFile<Result>(
  path: string | undefined,
  options: FileOptions,
  use: (file: DataFile) => Promise<Result>,
): Promise<Result> {
  if (path === '' || (path === undefined && options.sql === undefined)) {
    throw new UsageError('Name a data file, or - for standard input, or ask for data with --sql.');
  }
  try {
    const file = await openFile(path, options);
    try {
      return await use(file);
    } catch (error) {
      throw await file.explain(error);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw nameFile(error, path);
  }
}

/** Size of a file that is read so fast that one more reading does not matter. */
const SMALL = 32 * 2 ** 20;

/** Reads a small file once if its number of rows is not known: the plan can choose among all solvers when it is. */
export async function countRowsOfSmallFile({ source, bytes }: DataFile, signal: AbortSignal): Promise<void> {
  if (source.rows !== undefined || !source.rereadable || bytes === undefined || bytes > SMALL) return;
  for await (const _ of source.blocks()) signal.throwIfAborted();
}
