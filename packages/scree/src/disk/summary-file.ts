import { type FileHandle, readFile } from 'node:fs/promises';
import { basename, normalize } from 'node:path';
import {
  type MergeOptions,
  type SummarizeOptions,
  type SummaryHeader,
  type SummaryInput,
  summarize,
  TableSummary,
} from '@scree/analysis';
import { DataError, ModelError, OptionError } from '@scree/core';
import { FileError } from '@scree/files';
import { hideSecrets } from '../database/hide-secrets.js';
import { writeAtomically } from './atomic-file.js';
import { closeRead } from './file-bytes.js';
import { type OpenOptions, openFiles } from './open-file.js';
import { openRegularFile, readRegularFile } from './regular-file.js';
import { systemError } from './system-error.js';

/** Largest file that is read, in bytes: as large as a buffer of Node 20 can be. */
const LARGEST = 4 * 2 ** 30 - 1;

/** Options for reading a file and for its summary. */
export type SummarizeFileOptions = OpenOptions & Omit<SummarizeOptions, 'weights' | 'columnNames' | 'name' | 'reading'>;

/** Sums up the rows of a file, or of several files as one table, in one pass. `writeSummary` stores the result. */
export async function summarizeFile(
  names: string | readonly string[],
  options: SummarizeFileOptions = {},
): Promise<TableSummary> {
  const { onProgress, signal, threads, engine, keep, k, size, rule, scale, bootstrap, seed, ...reading } = options;
  if (reading.missing === 'mean') {
    throw new OptionError(
      'BAD_OPTION',
      "missing 'mean' fills gaps with the means of the whole table, which a part of it does not know. Use 'drop', or fill the gaps before.",
      { option: 'missing', value: 'mean' },
    );
  }
  const file = await openFiles(names, { ...reading, signal });
  try {
    const { memory, fill: _, ...said } = reading;
    const weights = await file.weights();
    const own = { onProgress, signal, threads, engine, keep, k, size, rule, scale, bootstrap, seed, memory, weights };
    const given = Object.entries(own).filter(([, value]) => value !== undefined);
    return await summarize(file.source, {
      ...Object.fromEntries(given),
      name: (typeof names === 'string' ? [names] : names).map(hideSecrets).join(' '),
      reading: said,
    });
  } catch (error) {
    throw await file.explain(error);
  } finally {
    await file.close();
  }
}

/** Writes a summary. If writing fails, the file stays as it was before. */
export async function writeSummary(path: string, summary: TableSummary): Promise<void> {
  await writeAtomically(path, await summary.toBinary());
}

/** Reads a summary from a file. */
export async function readSummary(path: string): Promise<TableSummary> {
  const bytes = await readRegularFile(path, { what: 'a file of moments', limitOf: () => LARGEST });
  return named(path, () => TableSummary.fromBinary(bytes));
}

/** Returns true if the file begins with the signature of a summary. Returns false if it cannot be opened. */
export async function isSummaryFile(path: string): Promise<boolean> {
  const found = await openRegularFile(path, '').catch(() => undefined);
  if (!found) return false;
  try {
    return TableSummary.isSummary(await firstBytes(found.handle, 8, path));
  } finally {
    await closeRead(found.handle);
  }
}

/** Reads the header of a summary. `load` reads the summary itself. Throws if the file is cut off. */
export async function openSummary(path: string): Promise<SummaryInput & { readonly name: string }> {
  const { handle, size } = await openRegularFile(path, 'Save it as a file first.');
  try {
    let bytes = await firstBytes(handle, 16, path);
    let found = await named(path, () => TableSummary.headerOf(bytes));
    if ('needed' in found) {
      if (found.needed > size) throw cutOff(path);
      bytes = await firstBytes(handle, found.needed, path);
      found = await named(path, () => TableSummary.headerOf(bytes));
    }
    if ('needed' in found || found.size > size) throw cutOff(path);
    return { name: path, header: found.header, load: () => readSummary(path) };
  } finally {
    await closeRead(handle);
  }
}

/** Options for merging files of summaries. */
export interface MergeFilesOptions extends MergeOptions {
  /** Names of all required parts: the names that `summarizeFile` got, or the names of the summaries' files. */
  readonly manifest?: readonly string[] | undefined;
}

/** Merges the summaries in files. They are read one after the other, in a fixed order. */
export async function mergeSummaryFiles(
  paths: readonly string[],
  { manifest, ...options }: MergeFilesOptions = {},
): Promise<TableSummary> {
  const inputs: (SummaryInput & { readonly name: string })[] = [];
  for (const path of paths) inputs.push(await openSummary(path));
  if (manifest) checkManifest(manifest, inputs);
  return TableSummary.merge(inputs, options);
}

/** Reads a manifest: one part per line. Empty lines and lines that begin with # are skipped. */
export async function readManifest(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw systemError(error, path, 'read');
  });
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const names = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (names.length > 0) return names;
  throw new FileError('EMPTY_DATA', path, `${path} names no parts. Write the name of one part per line.`);
}

/** Throws if a part of the manifest is missing, or a part is not in the manifest. */
function checkManifest(
  manifest: readonly string[],
  inputs: readonly (SummaryInput & { readonly name: string })[],
): void {
  const parts = inputs.flatMap(({ name, header }) => header.parts.map((part) => ({ file: name, ...part })));
  const isNamed = (line: string, { file, name }: { file: string; name: string }): boolean =>
    [name, file].some((each) => sameFile(each, line));
  const missing = manifest.filter((line) => !parts.some((part) => isNamed(line, part)));
  if (missing.length > 0) {
    throw new DataError(
      'BAD_DATA',
      `${missing.length === 1 ? 'A part is' : `${missing.length} parts are`} missing that the manifest names: ${listed(missing)}.`,
      { reason: 'missing-part', value: missing },
    );
  }
  const others = parts.filter((part) => !manifest.some((line) => isNamed(line, part)));
  if (others.length === 0) return;
  throw new DataError(
    'BAD_DATA',
    `The manifest does not name ${listed(others.map(({ file, name }) => `${name} (in ${file})`))}.`,
    { reason: 'unexpected-part', value: others.map(({ name }) => name) },
  );
}

/** data/a.csv is a.csv and /home/me/data/a.csv, but not other/a.csv. */
function sameFile(one: string, other: string): boolean {
  const [a, b] = [normalize(one), normalize(other)];
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, 5).join(', ')}${names.length > 5 ? `, and ${names.length - 5} more` : ''}`;
}

async function firstBytes(handle: FileHandle, length: number, path: string): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  try {
    const { bytesRead } = await handle.read(bytes, 0, length, 0);
    return bytes.subarray(0, bytesRead);
  } catch (error) {
    throw systemError(error, path, 'read');
  }
}

function cutOff(path: string): FileError {
  return new FileError('FILE_TRUNCATED', path, `${path} is cut off. Make or copy it again.`);
}

/** Turns errors about bytes into errors that name the file. */
async function named<Result>(path: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error.code === 'MODEL_TRUNCATED') throw cutOff(path);
    if (error.code === 'MODEL_TOO_NEW') throw new FileError('UNSUPPORTED', path, `${path}: ${error.message}`);
    const what =
      error.code === 'MODEL_CHANGED'
        ? 'was changed or damaged after it was written. Make or copy it again.'
        : 'holds no moments. scree moments makes such files.';
    throw new FileError('BAD_FILE', path, `${path} ${what}`);
  }
}

/** Describes a summary: "3 parts, 1000 rows × 20 columns". */
export function describeSummary({ kind, parts, rows, cols, replicates }: SummaryHeader, path: string): string {
  const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const of = parts.length === 1 ? basename(parts[0].name) : count(parts.length, 'part');
  const drawn = replicates === 0 ? '' : `, ${count(replicates, 'replicate')} of a bootstrap`;
  return `${path}: ${kind === 'moments' ? 'moments' : 'a sketch'} of ${of}, ${count(rows, 'row')} × ${count(cols, 'column')}${drawn}`;
}
