import { ScreeError } from '@scree/core';
import { openBlob } from '../../src/index.js';
import { rowsOf } from '../support.js';

/** The contents of a file, or the reason why it cannot be read. */
export interface Told {
  readonly format?: string;
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly number[])[];
  readonly code?: string;
  readonly message?: string;
}

export async function tellFile(blob: File): Promise<Told> {
  try {
    const file = await openBlob(blob, { memory: 2 ** 24 });
    try {
      return { format: file.format, columns: file.columns, rows: await rowsOf(file) };
    } finally {
      await file.close();
    }
  } catch (error) {
    return error instanceof ScreeError
      ? { code: error.code, message: error.message }
      : { code: 'not ours', message: String(error) };
  }
}
