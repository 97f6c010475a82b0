import type { Data, Encoding, PcaOptions, RowSource, TableData } from '@scree/core';
import { type EncodingMethod, openSource, toTable } from '@scree/core/data';
import {
  checkOptions,
  completeRows,
  keepAlive,
  ProgressTracker,
  type Settings,
  transformColumns,
} from '@scree/core/pipeline';
import { checkRequest, type MfaOptions, prepare } from './mca-famd-mfa.js';

/** A table as `pca` reads it: its encoded rows, how they were encoded, and the options with which PCA of them is the method. */
export interface EncodedTable {
  readonly source: RowSource;
  readonly coding: Encoding;
  readonly options: Pick<PcaOptions, 'k' | 'scale' | 'ddof'>;
}

/** Options of `encodeTable`: those of `mfa`, and the transforms of `pca`. */
export type EncodeTableOptions = Pick<PcaOptions, 'columnTransform' | 'columns'> &
  Partial<Omit<MfaOptions, 'columnTransform'>>;

/**
 * The first half of `mca`, `famd`, `mfa` and of `pca` with transforms. `pca(source, options)` is the second half. For programs that ask
 * more than one question about the same encoded rows. Models of these rows are models of encoded columns; with `coding` in their record
 * they take the user's own table. The caller closes the source.
 */
export function encodeTable(
  method: EncodingMethod,
  data: TableData,
  options: EncodeTableOptions,
): Promise<EncodedTable> {
  return keepAlive(async () => {
    const { settings, source } =
      method === 'pca' ? await transformed(data as Data, options as PcaOptions) : await coded(method, data, options);
    const { coding: encoding, k, scale, ddof } = settings;
    return {
      source,
      coding: encoding as Encoding,
      options: method === 'pca' ? {} : { scale, ddof, ...(k === undefined ? {} : { k }) },
    };
  });
}

async function transformed(data: Data, options: PcaOptions): Promise<{ source: RowSource; settings: Settings }> {
  const settings = checkOptions(options);
  const progress = new ProgressTracker(settings);
  const { columnNames, columns, missing } = settings;
  const opened = await openSource(data, progress, columnNames, columns === 'numeric', missing !== 'error');
  const complete = await completeRows(opened, settings, progress);
  return transformColumns(complete.source, complete.settings, progress);
}

async function coded(
  method: Exclude<EncodingMethod, 'pca'>,
  data: TableData,
  options: EncodeTableOptions,
): Promise<{ source: RowSource; settings: Settings }> {
  const request = checkRequest(method, options as MfaOptions);
  const progress = new ProgressTracker(request.settings);
  const opened = await toTable(data, progress, request.settings.columnNames);
  return prepare(method, opened, request, progress);
}
