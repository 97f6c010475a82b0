import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

const throws = (): never => {
  throw new Error('not supported');
};

it.each([
  ['setImmediate is missing', { setImmediate: undefined }],
  ['setImmediate and message channels are missing', { setImmediate: undefined, MessageChannel: undefined }],
  ['both exist and throw, as in the edge runtime of Next.js', { setImmediate: throws, MessageChannel: throws }],
])('a later turn comes where %s', async (_, globals) => {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  const { nextTurn } = await import('../../src/base/event-loop.js');
  const order: string[] = [];
  const turns = [nextTurn().then(() => order.push('first')), nextTurn().then(() => order.push('second'))];
  order.push('now');
  await Promise.all(turns);
  expect(order).toEqual(['now', 'first', 'second']);
});
