import { megabytes, milliseconds, percent, table, times } from './format.js';
import type { FilesResult, FileTime, WidthResult } from './results.js';
import { FILES } from './workloads.js';

/** The command on files, as the report tells it. */
export function filesTable({ files, bytes, parquet, widths }: FilesResult): string[] {
  const ratio = (slower: string, faster: string): number => medianOf(files, slower) / medianOf(files, faster);
  const [reading, copying] = [ratio('bare reading', 'scree fit'), ratio('copying', 'scree transform')];
  const help = medianOf(files, 'scree --help');
  return [
    `The command from start to end, on a .npy of ${megabytes(bytes)} (d = ${FILES.cols}, float64, k = ${FILES.k}) that the system has in its cache, allowed 1 GB.`,
    '',
    ...timesTable(files),
    '',
    ...peerLines(files),
    `- ${percent(reading)} of the speed of the bare reading; the aim is ${percent(FILES.reading)}: ${word(reading >= FILES.reading)}.`,
    `- transform at ${percent(copying)} of the speed of copying; the aim is ${percent(FILES.copying)}: ${word(copying >= FILES.copying)}.`,
    `- help in ${milliseconds(help)}, ${times(ratio('scree --help', 'node, doing'))} of Node doing nothing; the aim is ${FILES.helpMilliseconds} ms: ${word(help <= FILES.helpMilliseconds)}.`,
    ...(parquet
      ? [
          '',
          `A Parquet of ${megabytes(parquet.bytes)} as DuckDB writes it (d = ${parquet.cols}, float64, k = ${FILES.k}), allowed 1 GB; scikit-learn is fed by pyarrow.`,
          '',
          ...timesTable(parquet.files),
          '',
          ...peerLines(parquet.files),
        ]
      : []),
    ...(widths && widths.length > 0 ? ['', ...widthsTable(widths)] : []),
  ];
}

function timesTable(files: readonly FileTime[]): string[] {
  return table(
    ['', 'median', 'middle half', 'memory at most'],
    files.map(({ name, time, bytes }) => [
      name,
      milliseconds(time.median),
      time.runs > 1 ? `${milliseconds(time.low)} – ${milliseconds(time.high)}` : '',
      bytes === undefined ? '' : megabytes(bytes),
    ]),
  );
}

function peerLines(files: readonly FileTime[]): string[] {
  const peer = medianOf(files, 'scikit-learn') / medianOf(files, 'scree fit');
  const peak = files.find(({ name }) => name === 'scree fit')?.bytes ?? Number.NaN;
  return [
    ...(Number.isNaN(peer)
      ? []
      : [`- ${times(peer)} as fast as IncrementalPCA; the aim is ${FILES.times}: ${word(peer >= FILES.times)}.`]),
    `- ${megabytes(peak)} of memory; the aim is ${megabytes(FILES.bytes)}: ${word(peak <= FILES.bytes)}.`,
  ];
}

function widthsTable(widths: readonly WidthResult[]): string[] {
  const rates = (bytes: number, pair: WidthResult['cold']): string[] =>
    pair
      ? [
          `${megabytes(bytes / pair.reading)}/s`,
          `${megabytes(bytes / pair.fit)}/s`,
          `${percent(pair.reading / pair.fit)}${pair.reading / pair.fit >= FILES.reading ? '' : ' *'}`,
        ]
      : ['', '', ''];
  return [
    `Fits of .npy files of ${megabytes(widths[0].bytes)}, k = 4, from the start of the process to its end, beside the bare reading; the aim is ${percent(FILES.reading)} of it.`,
    'The command also looks at every column as it is read: whether it dominates, numbers the rows, holds codes or repeats others. This inspection runs on the reading thread, and takes about',
    'a fifth of the time; `pca` does so only with `inspectColumns`.',
    'From the disk means that the system was made to forget the file first. A * marks what missed the aim.',
    '',
    ...table(
      ['d', 'type', 'disk', 'fit', 'of it', 'cache', 'fit', 'of it'],
      widths.map(({ cols, type, bytes, warm, cold }) => [
        `${cols}`,
        type,
        ...rates(bytes, cold),
        ...rates(bytes, warm),
      ]),
    ),
  ];
}

function medianOf(files: readonly FileTime[], name: string): number {
  return files.find((one) => one.name.startsWith(name))?.time.median ?? Number.NaN;
}

function word(met: boolean): string {
  return met ? 'met' : '**missed**';
}
