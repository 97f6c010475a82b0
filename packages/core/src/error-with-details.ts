import { type ErrorDetails, ScreeError } from './errors.js';

/** The same error with more details, such as the file that the data come from: a new one, with the stack of the first. */
export function withDetails<Kind extends ScreeError>(error: Kind, details: ErrorDetails): Kind {
  const copy = new ScreeError(error.code, error.message, { ...error.details, ...details });
  const same: Kind = Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
  const { stack } = error;
  return Object.assign(same, { ...error, details: copy.details }, stack === undefined ? {} : { stack });
}
