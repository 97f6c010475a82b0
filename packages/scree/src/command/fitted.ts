import type { Model } from '@scree/core';
import type { DataFile } from '../files/index.js';
import { DEFAULT_MEMORY } from '../files/options.js';
import { pca } from '../index.js';
import { readModel } from '../model-file.js';
import type { Call } from './command.js';
import { fitOptions } from './fit.js';
import { countRows } from './opened.js';
import type { Narrator } from './terminal.js';
import { checkWidth } from './transform.js';

/** The model that is given with --model, or one fitted to the file; and how long that took. */
export async function modelFor(
  file: DataFile,
  path: string,
  { flags, signal }: Call,
  narrator: Narrator,
): Promise<{ model: Model; seconds?: number }> {
  if (typeof flags.model === 'string') {
    const model = await readModel(flags.model);
    checkWidth(model, file.source.cols, path);
    return { model };
  }
  await countRows(file, signal);
  narrator.say(file.describe());
  const weights = await file.weights();
  const memory = (flags.memory as number | undefined) ?? DEFAULT_MEMORY;
  const start = performance.now();
  const model = await pca(file.source, {
    ...fitOptions(flags),
    ...(weights ? { weights } : {}),
    memory,
    onProgress: narrator.onProgress,
    signal,
  });
  narrator.clear();
  return { model, seconds: (performance.now() - start) / 1000 };
}
