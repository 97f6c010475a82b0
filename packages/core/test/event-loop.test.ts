import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it.each([
  ['setImmediate throws, as in the edge runtime of Next.js', {}],
  ['there are no message channels either', { MessageChannel: undefined }],
])('a later turn comes where %s', async (_, others) => {
  const setImmediate = vi.fn(() => {
    throw new Error('not supported');
  });
  for (const [name, value] of Object.entries({ setImmediate, ...others })) vi.stubGlobal(name, value);
  const { nextTurn } = await import('../src/event-loop.js');
  const order: string[] = [];
  const turns = [nextTurn().then(() => order.push('first')), nextTurn().then(() => order.push('second'))];
  order.push('now');
  await Promise.all(turns);
  expect(order).toEqual(['now', 'first', 'second']);
  expect(setImmediate).toHaveBeenCalledOnce();
});
