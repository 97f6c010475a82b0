import { signal } from '@preact/signals';

/**
 * Where the page is: `#/explore?data=iris&k=3`, `#/learn/forces?cloud=tilted`. The address holds all that was chosen and
 * nothing of the data.
 */
export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The data of this entry of the browser's history, as `rewriteAddress` wrote it; undefined where the page wrote none. */
  readonly data: number | undefined;
}

/** The address that `route` was read from. The browser's address may be newer, until the `hashchange` event arrives. */
let read = location.hash;

export const route = signal<Route>(parse(read));

// Two local files may have the same address: between their entries only `popstate` tells.
for (const event of ['hashchange', 'popstate'] as const) {
  addEventListener(event, () => {
    const now = parse(location.hash);
    // Of a step in the history both events tell.
    if (read === location.hash && now.data === route.peek().data) return;
    read = location.hash;
    route.value = now;
  });
}

function parse(hash: string): Route {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const data: unknown = history.state?.data;
  return {
    path: path.split('/').filter((part) => part !== ''),
    query: new URLSearchParams(query),
    data: typeof data === 'number' ? data : undefined,
  };
}

/** The address of a screen, for links. */
export function addressOf(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const chosen = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(chosen).toString();
  return `#/${path.join('/')}${search === '' ? '' : `?${search}`}`;
}

/**
 * Writes the address. Settings change often, so it replaces the entry in the browser's history; data that the user opened
 * get an entry of their own (`isNew`), so that "back" returns to the data before. Nothing is written when the user has just followed a
 * link and the `hashchange` event has not arrived yet.
 */
export function rewriteAddress(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>>,
  data?: number,
  isNew = false,
): Route {
  const address = addressOf(path, query);
  if (read === location.hash && (address !== read || data !== route.peek().data)) {
    const state = data === undefined ? null : { data };
    if (isNew) history.pushState(state, '', address);
    else history.replaceState(state, '', address);
    read = location.hash;
    route.value = parse(address);
  }
  return route.peek();
}
