/** The methods that `console.log` of Node and of Deno calls to print an object. */
const nodeInspect: unique symbol = Symbol.for('nodejs.util.inspect.custom');
const denoInspect: unique symbol = Symbol.for('Deno.customInspect');

/** A class whose `toString` describes its objects better than a list of their fields: `console.log` prints the same. */
export abstract class Printable {
  abstract toString(): string;

  /** @internal */
  [nodeInspect](): string {
    return this.toString();
  }

  /** @internal */
  [denoInspect](): string {
    return this.toString();
  }
}

/** Makes `String(result)` and `console.log(result)` print `describe()`. The methods are not enumerable, so copies do not have them. */
export function withText<Result extends object>(result: Result, describe: () => string): Result {
  for (const name of ['toString', nodeInspect, denoInspect]) Object.defineProperty(result, name, { value: describe });
  return result;
}
