import {
  anyPlace,
  blobBytes,
  checkFileOptions,
  identify,
  openTable as openIdentified,
  type Table,
  type TableReader,
} from '@scree/core/files';

const parquet: TableReader = async (bytes, options) => (await import('./parquet-table.js')).openParquet(bytes, options);

/** Opens a file as columns and rows, whatever its format. What reads Parquet is loaded when there is one. */
export async function openTable(blob: Blob, name: string): Promise<Table> {
  const options = checkFileOptions({});
  const place = {
    ...anyPlace,
    readers: { parquet },
  };
  const file = await identify(blobBytes(blob, name), { name }, options, place.unpack);
  return openIdentified(file, options, place);
}
