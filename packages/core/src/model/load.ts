import { ModelError, show } from '../errors.js';
import { Model } from './model.js';
import type { ModelRecord } from './record.js';
import { fromBinary, fromJSON } from './serialize.js';

/** Reads a model from JSON (text or object) or from its binary form. Whatever is wrong with it is a `ModelError`. */
export function loadModel(source: string | object | Uint8Array | ArrayBuffer): Model {
  try {
    return new Model(read(source));
  } catch (error) {
    if (error instanceof ModelError) throw error;
    // Objects that nest without end, throw when read or cannot be copied.
    throw new ModelError('BAD_MODEL', `This is not a model: ${error instanceof Error ? error.message : show(error)}.`);
  }
}

function read(source: string | object | Uint8Array | ArrayBuffer): ModelRecord {
  if (source instanceof ArrayBuffer) return fromBinary(new Uint8Array(source));
  if (source instanceof Uint8Array) return fromBinary(source);
  if (typeof source === 'string' || (typeof source === 'object' && source !== null)) return fromJSON(source);
  throw new ModelError('BAD_MODEL', `A model is JSON or bytes, not ${show(source)}.`);
}
