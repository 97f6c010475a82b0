import { OptionError } from '@scree/core';
import { type Table, withClose } from '@scree/core/data';
import { type Packing, packingOf, type Unpackers, unpacked } from './archive/unpack.js';
import type { SeekableBytes } from './archive/zip.js';
import { type Bytes, peek } from './bytes/bytes.js';
import { unsupported } from './file-error.js';
import { asSeekable, type FileFormat, FORMATS } from './formats.js';
import type { CheckedOptions } from './options.js';
import type { Platform } from './platform/platform.js';
import { HEAD_BYTES, sniffFormat } from './sniff.js';
import type { DataFile } from './table/data-file.js';
import type { FileFacts } from './table/file-rows.js';
import { makeDataFile } from './table/make-data-file.js';
import { withMissingMarkers } from './table/missing-markers.js';
import { transposedIfAsked } from './table/transposed.js';

/** A file whose format is known, and its unpacked content. */
export interface Identified {
  readonly bytes: Bytes;
  readonly content: Bytes;
  readonly format: FileFormat;
  readonly packing: Packing | undefined;
}

/** Finds the format and the packing of a file by its first bytes; its name decides only between formats of text. */
export async function identify(
  bytes: Bytes,
  { name, format: known }: { readonly name: string; readonly format?: FileFormat | undefined },
  options: CheckedOptions,
  unpack: Unpackers,
): Promise<Identified> {
  const { path } = bytes;
  let packing: Packing | undefined;
  let content = bytes;
  let format = known;
  if (!format) {
    const head = await peek(bytes, HEAD_BYTES);
    packing = packingOf(head);
    if (packing) content = unpacked(bytes, packing, unpack, { memory: options.memory });
    format = options.format ?? sniffFormat(packing ? await peek(content, HEAD_BYTES) : head, name, path);
  }
  if (options.member !== undefined && !FORMATS[format].members) {
    throw new OptionError(
      'BAD_OPTION',
      `member chooses an array of a .npz file or a table of a database; ${path} is neither.`,
      { option: 'member', value: options.member },
    );
  }
  return { bytes, content, format, packing };
}

/** Opens a file as a table. */
export async function openFormat(file: Identified, options: CheckedOptions, platform: Platform): Promise<Table> {
  const { bytes, content, format, packing } = file;
  const { label, title, openInOrder, openSeekable } = FORMATS[format];
  const context = { options, platform, format: packing ? `${label}, ${packing}` : label };
  const own = platform.readers[format];
  if (openInOrder && !own) return openInOrder(content, context);
  const open = own ? (file: SeekableBytes) => own(file, options) : openSeekable;
  if (!open) {
    throw unsupported(bytes.path, `is ${title}, which cannot be read here`, 'Save the data as .npy, .csv or .arrow.');
  }
  const whole = packing ? await platform.copy(content, options.memory) : { bytes, close: async () => {} };
  try {
    const seekable = asSeekable(whole.bytes);
    return withClose(await open(seekable, context), whole.close);
  } catch (error) {
    await whole.close();
    throw error;
  }
}

/** The table as a data file, with the columns and rows that the options choose. After an error the table is closed. */
export async function openData(
  table: Table,
  options: CheckedOptions,
  facts: FileFacts,
  close: () => Promise<void> = async () => {},
): Promise<DataFile> {
  try {
    const { na = [] } = options;
    const marked = na.length === 0 ? table : withMissingMarkers(table, na, facts.path);
    const transposed = await transposedIfAsked(withClose(marked, close), options, facts.path);
    return makeDataFile(transposed.table, transposed.options, facts);
  } catch (error) {
    await table.close();
    throw error;
  }
}
