import { signal } from '@preact/signals';

/**
 * The address of the page: `#/explore?data=iris&k=3`, `#/learn/forces?cloud=tilted`. It holds all choices of the user, but no
 * data.
 */
export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The number of the data in this entry of the browser's history; undefined if `rewriteAddress` wrote none. */
  readonly data: number | undefined;
  /** The part of the address from # on. The browser's address may be newer, until the `hashchange` event arrives. */
  readonly hash: string;
}

export const route = signal<Route>(parse(location.hash));

// Two local files may have the same address. A step from one to the other causes only `popstate`.
for (const event of ['hashchange', 'popstate'] as const) {
  addEventListener(event, () => {
    const now = parse(location.hash);
    // Most steps in the history cause both events.
    if (now.hash !== route.peek().hash || now.data !== route.peek().data) route.value = now;
  });
}

function parse(hash: string): Route {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const data: unknown = history.state?.data;
  return {
    path: path.split('/').filter((part) => part !== ''),
    query: new URLSearchParams(query),
    data: typeof data === 'number' ? data : undefined,
    hash,
  };
}

/** The address of a screen, for links. */
export function addressOf(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const chosen = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(chosen).toString();
  return `#/${path.join('/')}${search === '' ? '' : `?${search}`}`;
}

/**
 * Writes the address. Settings change often, so the entry in the browser's history is replaced. Data that the user opened get an
 * entry of their own (`isNew`), so that "back" returns to the previous data. Nothing is written if the user has just followed a
 * link and the `hashchange` event has not arrived yet.
 */
export function rewriteAddress(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>>,
  data?: number,
  isNew = false,
): Route {
  const address = addressOf(path, query);
  const { hash, data: known } = route.peek();
  if (hash === location.hash && (address !== hash || data !== known)) {
    const state = data === undefined ? null : { data };
    if (isNew) history.pushState(state, '', address);
    else history.replaceState(state, '', address);
    route.value = parse(location.hash);
  }
  return route.peek();
}
