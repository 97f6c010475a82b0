import type { RowSource } from '@scree/core';
import { mapSource } from '@scree/core/data';
import { type OpenOptions, openFile } from '../disk/open-file.js';
import { badSparkUrl } from './spark-error.js';
import { isSparkUrl } from './spark-url.js';

/** How a table of Spark is read. */
export interface SparkOptions extends Pick<OpenOptions, 'columns' | 'exclude' | 'missing' | 'memory' | 'signal'> {
  /** The Spark Connect server: sc://host:15002, with settings after it: sc://host:15002/;use_ssl=true;token=…. */
  readonly url: string;
  /** A table (catalog.schema.table), or a query. */
  readonly table?: string;
  readonly sql?: string;
}

/**
 * A table on Spark, or the result of a query, as data for `pca`. The executors compute sums with numpy and send only the sums. Rows are sent only if the
 * plan predicts that this is faster. `pca` closes the source.
 *
 * @example
 * const source = await sparkSource({ url: 'sc://host:15002', sql: 'select a, b, c from measurements' });
 * const model = await pca(source, { k: 2 });
 */
export async function sparkSource({ url, table, ...options }: SparkOptions): Promise<RowSource> {
  if (!isSparkUrl(url)) throw badSparkUrl(String(url));
  const file = await openFile(url, { ...options, ...(table === undefined ? {} : { member: table }) });
  return mapSource(file.source, { close: () => file.close() });
}
