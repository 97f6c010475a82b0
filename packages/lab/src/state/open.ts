import { signal } from '@preact/signals';
import { DATASETS, type DatasetName, isDataset } from '../data/datasets.js';
import { route } from '../route.js';
import type { Origin } from '../worker/messages.js';
import { knowAddress, nameOf, OWN, selectionFrom, settingsFrom, viewFrom } from './address.js';
import { fail, type Opened, openData, opened, problem } from './data.js';
import { askOf, fitted, whenFitted } from './fit.js';
import { picture } from './picture.js';
import { settings } from './settings.js';
import { arrows, colour, k, selected } from './view.js';

/** Share of the variance that the first k keeps. */
const FIRST_SHARE = 0.9;

/** Opens data and shows them as the address says, or as is best at first. */
async function begin(
  origin: Origin,
  dataset: string | undefined,
  query: URLSearchParams,
  file?: string,
): Promise<void> {
  const data = await openData(origin, dataset, file);
  if (!data) return;
  waiting.value = undefined;
  show(data, query);
}

/** What is shown of other data stays as it is until there is a fit of these. */
function show(data: Opened, query: URLSearchParams): void {
  const chosen = settingsFrom(query, data);
  settings.value = { data, chosen };
  whenFitted(data, (now) => {
    const told = viewFrom(query, data);
    if (!told.colour) colour.value = chosen.label ?? 'none';
    // Arrows of single pixels say nothing.
    if (picture.peek() && !query.has('arrows')) arrows.value = false;
    if (!told.k) k.value = enoughOf(now.model.varianceRatios);
    // Other data let go of what was selected; what the address selects comes after that.
    queueMicrotask(() => {
      if (fitted.peek() === now) selected.value = selectionFrom(query, now.model.n);
    });
    const by = colour.peek();
    if (told.colour || typeof by !== 'number') return;
    // Names that are nearly all different colour nothing.
    askOf(now, 'values', by).then((found) => {
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
  begun = true;
  void begin({ kind: 'blob', name: file.name, blob: file }, undefined, waiting.peek() ?? new URLSearchParams());
}

export function beginText(text: string): void {
  void begin({ kind: 'text', name: 'pasted table', text }, undefined, waiting.peek() ?? new URLSearchParams());
}

/** What a link says about a file that is not in it: how to show the file once somebody opens it. */
export const waiting = signal<URLSearchParams | undefined>(undefined);

let begun = false;

/** What the address asks for when the page is opened, unless something was opened already. */
export function beginAddress(): void {
  if (begun) return;
  begun = true;
  knowAddress(route.peek());
  goTo(route.peek().query);
}

/** Shows what an address says. Data that are open are not read again. */
export function goTo(query: URLSearchParams): void {
  const now = opened.peek();
  const [name, file] = [query.get('data'), query.get('file')];
  if (now && (file ?? undefined) === now.file && (name ?? undefined) === nameOf(now)) {
    const again = { ...now };
    opened.value = again;
    show(again, query);
  } else if (file !== null) beginAt(file, query);
  else if (name === OWN) {
    waiting.value = query;
    if (now)
      problem.value = 'The link is about a file that is not in it. Open that file, and it is shown as the link says.';
  } else if (isDataset(name)) beginDataset(name, query);
  else beginDataset('iris');
}

/** A file of the page's own server. */
function beginAt(file: string, query: URLSearchParams): void {
  const url = URL.canParse(file, document.baseURI) ? new URL(file, document.baseURI) : undefined;
  // An address that somebody sends must not make the page fetch from elsewhere.
  if (url?.origin === location.origin) {
    const name = decoded(url.pathname.split('/').at(-1) || 'data');
    void begin({ kind: 'address', name, url: url.href }, undefined, query, file);
    return;
  }
  problem.value = url
    ? 'The address names a file of another server. Open the file yourself: the page fetches nothing from elsewhere.'
    : 'The address names a file that there cannot be.';
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
