import { DataError } from '@scree/core';

/** Does something with rows of a file that so many others come before: where it names one, it is the file's. */
export async function countedFrom<Result>(rows: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DataError) || error.details.row === undefined || rows === 0) throw error;
    const { code, message, details } = error;
    const row = rows + (error.details.row as number);
    throw new DataError(code, message.replace(`row ${details.row}`, `row ${row}`), { ...details, row });
  }
}
