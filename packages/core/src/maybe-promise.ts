/**
 * Work that waits only where it must. Small data in memory are fitted without a single promise, at once (`pcaSync`), by the same code that
 * awaits files, workers and libraries elsewhere. A step that may have to wait returns a value or a promise of it; functions with
 * several such steps are generators that yield the promises.
 */

/** A value, or a promise of it. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * A function with steps that may have to wait: `yield* wait(step)` instead of `await step`. It is declared at the top of a module or as a
 * method: V8 makes a class for every generator function, which takes longer than a small pass where the function is inside another.
 */
export type Waiting<Result> = Generator<Promise<unknown>, Result, unknown>;

export function isPromise<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return typeof value === 'object' && value !== null && typeof (value as Promise<Value>).then === 'function';
}

/** What `yield*` takes. Before TypeScript 5.6 `Iterable` had no type of the result. */
interface Step<Value> {
  [Symbol.iterator](): Iterator<Promise<unknown>, Value, unknown>;
}

/** The value, after waiting for it if it is a promise. */
export function wait<Value>(value: MaybePromise<Value>): Step<Value> {
  return isPromise(value) ? pending(value) : new Ready(value);
}

function* pending<Value>(promise: Promise<Value>): Waiting<Value> {
  return (yield promise) as Value;
}

/** A value as what `yield*` takes: an iterator that is at its end, and its own last result. */
class Ready<Value> {
  readonly done = true;
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }

  next(): this {
    return this;
  }

  [Symbol.iterator](): this {
    return this;
  }
}

/** Runs to the end at once where nothing has to wait, and otherwise as a promise, after a call of `beforeWaiting`. */
export function settle<Result>(work: Waiting<Result>, beforeWaiting?: () => void): MaybePromise<Result> {
  const next = work.next();
  if (next.done) return next.value;
  beforeWaiting?.();
  return continueAfter(work, next.value);
}

async function continueAfter<Result>(work: Waiting<Result>, first: Promise<unknown>): Promise<Result> {
  for (let promise = first; ; ) {
    let value: unknown;
    let failed = false;
    try {
      value = await promise;
    } catch (error) {
      value = error;
      failed = true;
    }
    const next = failed ? work.throw(value) : work.next(value);
    if (next.done) return next.value;
    promise = next.value;
  }
}

/** `use` of the value, now or when it is there. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  use: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return isPromise(value) ? value.then(use) : use(value);
}

/** Calls `visit` for one item after the other. An iterator is closed, also after an error. */
export function* each<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  visit: (item: Item) => MaybePromise<void>,
): Waiting<void> {
  if (Symbol.iterator in items) {
    for (const item of items) yield* wait(visit(item));
    return;
  }
  const iterator = items[Symbol.asyncIterator]();
  let open = true;
  try {
    for (;;) {
      // An iterator that fails has closed itself.
      open = false;
      const next = yield* wait(iterator.next());
      if (next.done) return;
      open = true;
      yield* wait(visit(next.value));
    }
  } finally {
    if (open) yield* wait(iterator.return?.() as Promise<unknown> | undefined);
  }
}

/** Code that is loaded when it is first needed. Where it is there already, or a program that must not wait has provided it, nothing waits. */
export class Lazy<Code extends object> {
  readonly #load: () => Promise<Code>;
  #code: Code | undefined;

  constructor(load: () => Promise<Code>) {
    this.#load = load;
  }

  get(): MaybePromise<Code> {
    return this.#code ?? this.#load().then((code) => this.provide(code));
  }

  provide(code: Code): Code {
    this.#code = code;
    return code;
  }
}
