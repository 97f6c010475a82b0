import { signal } from '@preact/signals';

/**
 * Where the page is: `#/explore?data=iris&k=3`, `#/learn/forces?cloud=tilted`. The address holds all that was chosen and
 * nothing of the data.
 */
export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** The address that `route` was read from. The browser's own is ahead of it until the event of a change has arrived. */
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

/** The address of a place, for links. */
export function addressOf(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const chosen = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(chosen).toString();
  return `#/${path.join('/')}${search === '' ? '' : `?${search}`}`;
}

/**
 * Writes the address without a step in the browser's history: settings change often, and "back" should leave the page. Where
 * somebody has just gone elsewhere, and the event of it is on its way, it is theirs.
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
