import type { OpenedData } from '../state/data.js';

/** The file name of the data. Pasted data have no file name, so they get one. */
export function fileNameOf({ info, source, dataset }: OpenedData): string {
  return source && dataset === undefined ? `pasted-table.${info.format.toLowerCase()}` : info.name;
}

/** Built-in or pasted data as a file. */
export async function dataFile({ source }: OpenedData): Promise<Blob> {
  if (source?.kind === 'text') return new Blob([source.text], { type: 'text/plain' });
  if (source?.kind !== 'url') throw new Error('These data are a file already.');
  const response = await fetch(source.url);
  if (!response.ok) throw new Error(`${source.name} could not be fetched: the server answered ${response.status}.`);
  return response.blob();
}
