import { ModelError, show } from '../errors.js';
import { Model } from './model.js';
import { fromBinary, fromJSON } from './serialize.js';

/** Reads a model from JSON (text or object) or from its binary form. */
export function loadModel(source: string | object | Uint8Array | ArrayBuffer): Model {
  if (source instanceof ArrayBuffer) return new Model(fromBinary(new Uint8Array(source)));
  if (source instanceof Uint8Array) return new Model(fromBinary(source));
  if (typeof source === 'string' || (typeof source === 'object' && source !== null)) return new Model(fromJSON(source));
  throw new ModelError('BAD_MODEL', `A model is JSON or bytes, not ${show(source)}.`);
}
