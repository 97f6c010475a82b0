import { completeTable, fitTable, type TableFit, withEncoding } from '@scree/analysis';
import type { Model, Moments, RowSource } from '@scree/core';
import type { DataFile } from '../disk/index.js';
import { readModel } from '../disk/model-file.js';
import { questionsOf, tableOf } from './analyze-file.js';
import type { Call } from './command.js';
import { fileOptions, predictingMethod } from './data-flags.js';
import { COUNT_FLAGS, PCA_FLAGS } from './fit-options.js';
import { fileOptionsFor, readFor } from './for-model.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { countRowsOfSmallFile, withFile } from './with-file.js';

export interface FitFileOptions {
  /** Replaces how the rows are read. */
  readonly read?: (() => Promise<RowSource | Moments>) | undefined;
  /** If true, the number of components and their stability are examined too. Default false. */
  readonly asks?: boolean;
}

/** Fits a model to a file, and examines what takes little time. */
export async function fitFile(
  file: DataFile,
  call: Pick<Call, 'flags' | 'signal'>,
  terminal: Terminal,
  { read, asks = false }: FitFileOptions = {},
): Promise<Pick<TableFit, 'model' | 'notComputed' | 'seconds' | 'between'>> {
  await countRowsOfSmallFile(file, call.signal);
  terminal.note(file.describe());
  const questions = await questionsOf(file, call, terminal);
  const method = predictingMethod(call.flags);
  const whole = method
    ? await completeTable(tableOf(file), { method }, { ...questions, scale: questions.scale ?? 'none' })
    : undefined;
  const fitted = await fitTable(whole?.table ?? tableOf(file), {
    ...questions,
    ...whole?.fit,
    ...(asks ? { criteria: 'quick' } : { criteria: 'none', bootstrap: 0 }),
    ...(read ? { read } : {}),
  });
  terminal.clear();
  return { ...fitted, model: withEncoding(fitted.model, file.coding) };
}

/** Opens a file, and reads the model that --model names or fits one to the file. */
export async function withModel(
  call: Call,
  terminal: Terminal,
  use: (file: DataFile, fitted: { readonly model: Model; readonly seconds?: number }) => Promise<void>,
): Promise<void> {
  const { positionals, flags } = call;
  if (typeof flags.model !== 'string') {
    await withFile(positionals, fileOptions(flags, call.signal), async (file) => {
      checkRereadable(file);
      await use(file, await fitFile(file, call, terminal));
    });
    return;
  }
  const other = [...COUNT_FLAGS, ...PCA_FLAGS, 'no-center', ...CODING_FLAGS].find(
    (name) => name !== 'threads' && flags[name] !== undefined,
  );
  if (other) throw new UsageError(`--${other} says how to fit, and --model brings a model. Leave one of them out.`);
  const model = await readModel(flags.model);
  await withFile(positionals, fileOptionsFor(model, flags, call.signal), async (file) => {
    await use(readFor(model, file, call, positionals[0] ?? 'The query'), { model });
  });
}

const CODING_FLAGS = ['method', 'transform', 'residualize', 'categories', 'blocks', 'rare'] as const;

/** Rejects data that cannot be read again. */
export function checkRereadable({ source }: DataFile): void {
  if (source.rereadable) return;
  throw new UsageError('This reads rows more than once: save standard input to a file first, or bring a --model.');
}
