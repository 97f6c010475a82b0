/**
 * Applies a function to items. Items for which it returns undefined are left out. Cheaper than a generator: one promise per item. `atEnd`
 * is called after the last item. If a function throws, the items are closed.
 */
export function mapAsync<In, Out>(
  items: AsyncIterable<In>,
  map: (item: In) => Out | undefined | Promise<Out | undefined>,
  atEnd?: () => void | Promise<void>,
): AsyncIterable<Out> {
  return {
    [Symbol.asyncIterator]() {
      const inner = items[Symbol.asyncIterator]();
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
    },
  };
}
