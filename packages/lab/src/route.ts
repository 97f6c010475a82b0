import { signal } from '@preact/signals';

/**
 * Where the page is: `#/explore?data=iris&k=3`, `#/learn/forces?cloud=tilted`. The address holds all that was chosen and
 * nothing of the data.
 */
export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** The address that `route` was read from. The browser's address may be newer, until the `hashchange` event arrives. */
let read = location.hash;

export const route = signal<Route>(parse(read));

addEventListener('hashchange', () => {
  read = location.hash;
  route.value = parse(read);
});

function parse(hash: string): Route {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(query) };
}

/** The address of a screen, for links. */
export function addressOf(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const chosen = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(chosen).toString();
  return `#/${path.join('/')}${search === '' ? '' : `?${search}`}`;
}

/**
 * Writes the address without a new entry in the browser's history: settings change often, and "back" should leave the
 * page. Nothing is written when the user has just followed a link and the `hashchange` event has not arrived yet.
 */
export function rewriteAddress(path: readonly string[], query: Readonly<Record<string, string | undefined>>): Route {
  const address = addressOf(path, query);
  if (read === location.hash && address !== read) {
    history.replaceState(null, '', address);
    read = location.hash;
    route.value = parse(address);
  }
  return route.peek();
}
