import { readFile } from 'node:fs/promises';
import { loadModel, type Model } from '@scree/core';
import { systemError } from './files/system-error.js';
import { writeBeside } from './write-beside.js';

/** Writes a model: JSON when the name ends in .json, the compact binary form otherwise. Never leaves half a file. */
export async function writeModel(path: string, model: Model): Promise<void> {
  await writeBeside(path, modelContent(path, model));
}

/** A model as a file of this name holds it. */
export function modelContent(path: string, model: Model): string | Uint8Array {
  return path.endsWith('.json') ? `${JSON.stringify(model)}\n` : model.toBinary();
}

/** Reads a model in either form, whatever its name. */
export async function readModel(path: string | URL): Promise<Model> {
  const bytes = await readFile(path).catch((error) => {
    throw systemError(error, String(path), 'read');
  });
  return loadModel(bytes[0] === 0x53 ? bytes : bytes.toString('utf8'));
}
