import { fileURLToPath } from 'node:url';
import { loadModel, type Model } from '@scree/core';
import { writeAtomically } from './atomic-file.js';
import { readRegularFile } from './regular-file.js';

/** The first byte of the binary form. */
const BINARY = 0x53;

/** Largest model files, in bytes. JSON is parsed from one string, and strings of V8 have at most 512 MB. */
const LARGEST_BINARY = 2e9;
const LARGEST_JSON = 500e6;

/** Writes a model: as JSON if the name ends in .json, otherwise in the compact binary form. Never leaves half a file. */
export async function writeModel(path: string, model: Model): Promise<void> {
  await writeAtomically(path, path.toLowerCase().endsWith('.json') ? `${JSON.stringify(model)}\n` : model.toBinary());
}

/** Reads a model in either form, whatever its name: a regular file of 2 GB at most, or 500 MB as JSON. */
export async function readModel(path: string | URL): Promise<Model> {
  const file = path instanceof URL ? fileURLToPath(path) : path;
  const bytes = await readRegularFile(file, {
    what: 'a model',
    limitOf: ([first]) => (first === BINARY ? LARGEST_BINARY : LARGEST_JSON),
  });
  return loadModel(bytes[0] === BINARY ? bytes : bytes.toString('utf8'));
}
