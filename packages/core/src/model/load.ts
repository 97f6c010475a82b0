import { Model } from './model.js';
import { modelError, readRecord } from './read-record.js';

/**
 * Reads a model from JSON (text, object or bytes), from its binary form, or from the copy of one that `structuredClone` or
 * `postMessage` made. Whatever is wrong with it is a `ModelError`.
 */
export function loadModel(source: string | object | Uint8Array | ArrayBuffer): Model {
  try {
    return new Model(readRecord(source));
  } catch (error) {
    throw modelError(error);
  }
}
