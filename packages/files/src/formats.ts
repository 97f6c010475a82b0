import type { Table } from '@scree/core/data';
import { type SeekableBytes, seekable } from './archive/zip.js';
import type { Bytes } from './bytes/bytes.js';
import type { CheckedOptions } from './options.js';
import type { Platform } from './platform/platform.js';

/** The context of opening a file: options, the name of the format for messages, and the platform. */
export interface OpenContext {
  readonly options: CheckedOptions;
  /** The format as people know it, with its packing: "CSV, gzip". */
  readonly format: string;
  readonly platform: Platform;
}

/** One file format. */
export interface FormatEntry {
  /** As messages call it: "a Parquet file". */
  readonly title: string;
  /** As `describe()` calls it. */
  readonly label: string;
  readonly extensions: readonly string[];
  /**
   * Returns true if a file begins with the signature of this format. Text formats cannot tell: their extension and first characters decide.
   */
  begins?(head: Uint8Array): boolean;
  /** True if a file may have several tables, and `member` chooses one. */
  readonly members?: boolean;
  /** Opens a file that is read in order; a packed one is unpacked while it is read. */
  openInOrder?(bytes: Bytes, context: OpenContext): Promise<Table>;
  /** Opens a file that is read at many positions; a packed one is unpacked into a temporary copy first. */
  openSeekable?(file: SeekableBytes, context: OpenContext): Promise<Table>;
}

/**
 * Every format. Readers are loaded on demand: together they take longer to load than a small file to read. A format without a
 * reader here needs one from the platform (`Platform.readers`), which also takes precedence.
 */
const entries = {
  npy: {
    title: 'a NumPy array',
    label: 'NumPy .npy',
    extensions: ['.npy'],
    begins: (head) => startsWith(head, '\x93NUMPY'),
    openInOrder: async (bytes, { options: { memory }, format, platform }) =>
      (await import('./numpy/npy.js')).openNpy(bytes, { memory, format }, platform),
  },
  npz: {
    title: 'a NumPy archive',
    label: 'NumPy .npz',
    extensions: ['.npz'],
    begins: (head) => startsWith(head, 'PK\x03\x04') || startsWith(head, 'PK\x05\x06'),
    members: true,
    openSeekable: async (file, { options, platform }) =>
      (await import('./numpy/npz.js')).openNpz(file, options, platform),
  },
  idx: {
    title: 'an IDX file',
    label: 'IDX',
    extensions: ['.idx'],
    begins: isIdx,
    openInOrder: async (bytes, { options: { memory }, format }) =>
      (await import('./idx/idx-table.js')).openIdx(bytes, { memory, format }),
  },
  csv: {
    title: 'a text table',
    label: 'CSV',
    extensions: ['.csv', '.txt', '.dat', '.data'],
    openInOrder: openText,
  },
  tsv: { title: 'a text table', label: 'TSV', extensions: ['.tsv', '.tab'], openInOrder: openText },
  parquet: {
    title: 'a Parquet file',
    label: 'Parquet',
    extensions: ['.parquet', '.pq'],
    begins: (head) => startsWith(head, 'PAR1'),
    openSeekable: async (file, { options }) => (await import('./parquet/parquet-table.js')).openParquet(file, options),
  },
  json: {
    title: 'a JSON file',
    label: 'JSON',
    extensions: ['.json'],
    openInOrder: async (bytes, { options: { memory, na }, format }) =>
      (await import('./json/json-table.js')).openJson(bytes, { memory, na, lines: false, format }),
  },
  ndjson: {
    title: 'a JSON file',
    label: 'NDJSON',
    extensions: ['.ndjson', '.jsonl'],
    openInOrder: async (bytes, { options: { memory, na }, format }) =>
      (await import('./json/json-table.js')).openJson(bytes, { memory, na, lines: true, format }),
  },
  arrow: {
    title: 'an Arrow file',
    label: 'Arrow',
    extensions: ['.arrow', '.feather', '.ipc'],
    begins: (head) => startsWith(head, 'ARROW1') || startsWith(head, '\xff\xff\xff\xff'),
    openSeekable: async (file, { options, platform }) =>
      (await import('./arrow/arrow-table.js')).openArrow(file, options, platform),
  },
  duckdb: {
    title: 'a DuckDB database',
    label: 'DuckDB',
    extensions: ['.duckdb'],
    begins: (head) => startsWith(head, 'DUCK', 8),
    members: true,
  },
  sqlite: {
    title: 'a SQLite database',
    label: 'SQLite',
    extensions: ['.sqlite', '.sqlite3'],
    begins: (head) => startsWith(head, 'SQLite format 3\0'),
    members: true,
  },
  scree: {
    title: 'a file that scree compressed',
    label: 'scree',
    extensions: ['.scree'],
    begins: (head) => startsWith(head, 'SCREEZIP'),
  },
} as const satisfies Readonly<Record<string, FormatEntry>>;

/** The name of a file format. */
export type FileFormat = keyof typeof entries;

export const FORMATS: Readonly<Record<FileFormat, FormatEntry>> = entries;

export const FORMAT_NAMES = Object.keys(entries) as readonly FileFormat[];

/** The format that claims these first bytes; undefined for text and for what no format claims. */
export function formatByHead(head: Uint8Array): FileFormat | undefined {
  return FORMAT_NAMES.find((name) => FORMATS[name].begins?.(head));
}

/** The format whose files have this extension. */
export function formatByExtension(extension: string): FileFormat | undefined {
  return FORMAT_NAMES.find((name) => FORMATS[name].extensions.includes(extension));
}

export function startsWith(head: Uint8Array, text: string, at = 0): boolean {
  for (let i = 0; i < text.length; i++) if (head[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Two zeros, a type, and at least one dimension. */
function isIdx([first, second, type, dimensions]: Uint8Array): boolean {
  return first === 0 && second === 0 && [8, 9, 11, 12, 13, 14].includes(type) && dimensions > 0;
}

async function openText(bytes: Bytes, { options: { memory, na }, format }: OpenContext): Promise<Table> {
  return (await import('./csv/csv-table.js')).openCsv(bytes, { memory, na, format });
}

/** Bytes as a seekable file, which whole files and temporary copies are. */
export function asSeekable(bytes: Bytes): SeekableBytes {
  const file = seekable(bytes);
  if (!file) throw new TypeError('a whole file can be read at any position');
  return file;
}
