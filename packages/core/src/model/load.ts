import { describeValue, ModelError } from '../errors.js';
import { Model } from './model.js';
import { readRecord } from './read-record.js';

/**
 * Reads a model from JSON (text, object or bytes), from its binary form, or from the copy of one that `structuredClone` or
 * `postMessage` made. Whatever is wrong with it is a `ModelError`.
 */
export function loadModel(source: string | object | Uint8Array | ArrayBuffer): Model {
  try {
    return new Model(readRecord(source));
  } catch (error) {
    if (error instanceof ModelError) throw error;
    // Objects that nest without end, throw when read or cannot be copied.
    throw new ModelError(
      'BAD_MODEL',
      `This is not a model: ${error instanceof Error ? error.message : describeValue(error)}.`,
    );
  }
}
