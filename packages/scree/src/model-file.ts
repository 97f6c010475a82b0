import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { loadModel, type Model } from '@scree/core';

/** Writes a model: JSON when the name ends in .json, the compact binary form otherwise. Never leaves half a file. */
export async function writeModel(path: string, model: Model): Promise<void> {
  const content = path.endsWith('.json') ? `${JSON.stringify(model)}\n` : model.toBinary();
  // Beside the target, so that the rename stays on one disk and is a single step.
  const beside = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(beside, content);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Reads a model in either form, whatever its name. */
export async function readModel(path: string | URL): Promise<Model> {
  const bytes = await readFile(path);
  return loadModel(bytes[0] === 0x53 ? bytes : bytes.toString('utf8'));
}
