import { DATASETS, type DatasetName, isDataset } from '../data/datasets.js';
import { route } from '../route.js';
import type { Origin } from '../worker/messages.js';
import { selectionFrom, settingsFrom, viewFrom } from './address.js';
import { ask, fail, openData, opened, problem } from './data.js';
import { fitted } from './fit.js';
import { picture } from './picture.js';
import { settings } from './settings.js';
import { arrows, colour, k, selected } from './view.js';

/** Share of the variance that the first k keeps. */
const FIRST_SHARE = 0.9;

/** Opens data and shows them as the address says, or as is best at first. */
async function begin(origin: Origin, dataset: string | undefined, query: URLSearchParams): Promise<void> {
  if (!(await openData(origin, dataset))) return;
  const data = opened.peek()!;
  const told = viewFrom(query);
  const chosen = settingsFrom(query, data);
  if (!told.colour) colour.value = chosen.label ?? 'none';
  settings.value = { data, chosen };
  // The first fit of these data, and no other.
  const stop = fitted.subscribe((now) => {
    if (now?.data !== data) return;
    queueMicrotask(() => stop());
    // Arrows of single pixels say nothing.
    if (picture.peek() && !query.has('arrows')) arrows.value = false;
    selected.value = selectionFrom(query, now.model.n);
    if (!told.k) k.value = enoughOf(now.model.varianceRatios);
    const by = colour.peek();
    if (told.colour || typeof by !== 'number') return;
    // Names that are nearly all different colour nothing.
    ask('values', by).then((found) => {
      if (found.kind === 'groups' && found.others && colour.peek() === by) colour.value = 'none';
    }, fail);
  });
}

function enoughOf(ratios: Float64Array): number {
  let sum = 0;
  const found = ratios.findIndex((ratio) => {
    sum += ratio;
    return sum >= FIRST_SHARE;
  });
  return Math.min(ratios.length, Math.max(2, found < 0 ? ratios.length : found + 1));
}

export function beginDataset(name: DatasetName, query = new URLSearchParams()): void {
  void begin(DATASETS[name].origin, name, query);
}

export function beginFile(file: File): void {
  void begin({ kind: 'blob', name: file.name, blob: file }, undefined, new URLSearchParams());
}

export function beginText(text: string): void {
  void begin({ kind: 'text', name: 'pasted table', text }, undefined, new URLSearchParams());
}

let begun = false;

/** What the address asks for when the page is opened, unless something was opened already. */
export function beginAddress(): void {
  if (begun) return;
  begun = true;
  const { query } = route.peek();
  const file = query.get('file');
  if (file !== null) {
    const url = new URL(file, document.baseURI);
    // Only the page's own server: an address that somebody sends must not make the page fetch from elsewhere.
    if (url.origin === location.origin) {
      const name = decoded(url.pathname.split('/').at(-1) ?? 'data');
      void begin({ kind: 'address', name, url: url.href }, undefined, query);
      return;
    }
    problem.value =
      'The address names a file of another server. Open the file yourself: the page fetches nothing from elsewhere.';
    return;
  }
  const name = query.get('data');
  beginDataset(isDataset(name) ? name : 'iris', isDataset(name) ? query : new URLSearchParams());
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
