/** Makes an item of another one. Items for which it returns undefined are left out. */
type ItemMap<In, Out> = (item: In) => Out | undefined | Promise<Out | undefined>;
type AtEnd = (() => void | Promise<void>) | undefined;

/**
 * Applies a function to items. Items for which it returns undefined are left out. `atEnd` is called after the last item. If a function
 * throws, the items are closed. This is cheaper than a generator, and items that are mapped several times go through one loop.
 */
export function mapAsync<In, Out>(
  items: Iterable<In> | AsyncIterable<In>,
  map: ItemMap<In, Out>,
  atEnd?: AtEnd,
): AsyncIterable<Out> {
  return items instanceof MappedItems ? items.mappedBy(map, atEnd) : new MappedItems(items, map, atEnd);
}

class MappedItems<In, Out> implements AsyncIterable<Out> {
  readonly #items: Iterable<In> | AsyncIterable<In>;
  readonly #map: ItemMap<In, Out>;
  readonly #atEnd: AtEnd;

  constructor(items: Iterable<In> | AsyncIterable<In>, map: ItemMap<In, Out>, atEnd: AtEnd) {
    this.#items = items;
    this.#map = map;
    this.#atEnd = atEnd;
  }

  mappedBy<More>(map: ItemMap<Out, More>, atEnd: AtEnd): MappedItems<In, More> {
    const [first, firstEnd] = [this.#map, this.#atEnd];
    const both: ItemMap<In, More> = (item) => {
      const made = first(item);
      if (made instanceof Promise) return made.then((value) => (value === undefined ? undefined : map(value)));
      return made === undefined ? undefined : map(made);
    };
    const bothEnd = async (): Promise<void> => {
      await firstEnd?.();
      await atEnd?.();
    };
    return new MappedItems(this.#items, both, firstEnd || atEnd ? bothEnd : undefined);
  }

  [Symbol.asyncIterator](): AsyncIterator<Out, undefined> {
    const [items, map, atEnd] = [this.#items, this.#map, this.#atEnd];
    const inner = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
    return {
      async next() {
        for (;;) {
          const item = await inner.next();
          if (item.done) {
            await atEnd?.();
            return { done: true, value: undefined };
          }
          let value: Out | undefined;
          try {
            value = await map(item.value);
          } catch (error) {
            await inner.return?.();
            throw error;
          }
          if (value !== undefined) return { done: false, value };
        }
      },
      async return() {
        await inner.return?.();
        return { done: true, value: undefined };
      },
    };
  }
}
