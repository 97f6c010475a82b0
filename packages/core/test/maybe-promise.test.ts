import { describe, expect, it } from 'vitest';
import { andThen, each, isPromise, Lazy, settle, type Waiting, wait } from '../src/maybe-promise.js';

function* add(a: number | Promise<number>, b: number | Promise<number>): Waiting<number> {
  return (yield* wait(a)) + (yield* wait(b));
}

describe('steps that may have to wait', () => {
  it('are done at once where none waits, and are a promise otherwise', async () => {
    expect(settle(add(1, 2))).toBe(3);
    const later = settle(add(1, Promise.resolve(2)));
    expect(isPromise(later)).toBe(true);
    expect(await later).toBe(3);
    expect(andThen(2, (value) => value + 1)).toBe(3);
    expect(await andThen(Promise.resolve(2), (value) => value + 1)).toBe(3);
  });

  it('throw where they wait, so that try and finally work as with await', async () => {
    const seen: string[] = [];
    const careful = function* (failing: Promise<number>): Waiting<string> {
      try {
        yield* wait(failing);
        return 'no error';
      } catch (error) {
        return String(error);
      } finally {
        seen.push('closed');
      }
    };
    expect(await settle(careful(Promise.reject(new Error('broken'))))).toBe('Error: broken');
    expect(seen).toEqual(['closed']);
    await expect(settle(add(1, Promise.reject(new Error('broken'))))).rejects.toThrow('broken');
    expect(() =>
      settle(
        (function* (): Waiting<void> {
          yield* wait(undefined);
          throw new Error('at once');
        })(),
      ),
    ).toThrow('at once');
  });
});

describe('each', () => {
  const sum = (items: Iterable<number> | AsyncIterable<number>, fail?: number) => {
    let total = 0;
    const visit = (item: number): void => {
      if (item === fail) throw new Error('visit');
      total += item;
    };
    return andThen(settle(each(items, visit)), () => total);
  };

  it('visits a list at once, and a stream as it comes', async () => {
    expect(sum([1, 2, 3])).toBe(6);
    const stream = async function* () {
      yield* [1, 2, 3];
    };
    expect(await sum(stream())).toBe(6);
  });

  it('closes what it reads after an error of the visitor, and leaves a stream that failed by itself', async () => {
    let closed = 0;
    const iterator = (fails: boolean): AsyncIterable<number> => ({
      [Symbol.asyncIterator]: () => {
        let next = 0;
        return {
          next: async () => {
            if (fails && next === 2) throw new Error('source');
            return { done: false, value: next++ };
          },
          return: async () => {
            closed++;
            return { done: true, value: undefined };
          },
        };
      },
    });
    await expect(sum(iterator(false), 3)).rejects.toThrow('visit');
    expect(closed).toBe(1);
    await expect(sum(iterator(true))).rejects.toThrow('source');
    expect(closed).toBe(1);
    let ended = false;
    const list = (function* () {
      try {
        yield* [1, 2, 3];
      } finally {
        ended = true;
      }
    })();
    expect(() => sum(list, 2)).toThrow('visit');
    expect(ended).toBe(true);
  });
});

it('code that was provided or loaded is there at once', async () => {
  const lazy = new Lazy(async () => ({ name: 'loaded' }));
  const first = lazy.get();
  expect(isPromise(first)).toBe(true);
  expect(await first).toEqual({ name: 'loaded' });
  expect(lazy.get()).toEqual({ name: 'loaded' });
  const given = new Lazy<{ name: string }>(() => Promise.reject(new Error('never asked')));
  given.provide({ name: 'given' });
  expect(given.get()).toEqual({ name: 'given' });
});
