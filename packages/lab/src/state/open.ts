import { signal } from '@preact/signals';
import { DATASETS, type DatasetName, isDataset } from '../data/datasets.js';
import { type Route, route } from '../route.js';
import type { DataOrigin } from '../worker/messages.js';
import { dataName, OWN_FILE, selectionFrom, setKnownAddress, settingsFrom, viewFrom } from './address.js';
import { loadData, type OpenedData, type Opening, opened, problem } from './data.js';
import { fitted, onFirstFit } from './fit.js';
import { picture } from './picture.js';
import { defaultColour, settings } from './settings.js';
import { colourBy, isKByHand, k, selected, showArrows } from './view.js';

/** The share of the variance that the first k keeps, until the criteria recommend another k. */
const INITIAL_VARIANCE_SHARE = 0.9;

/** Opens data and shows them with the settings of the address, or with defaults. */
async function openAndShow(opening: Opening, query: URLSearchParams): Promise<void> {
  openings.set(opening.entry, opening);
  const data = await loadData(opening, () => fitted.peek()?.data.info.name);
  if (!data) return;
  pendingQuery.value = undefined;
  show(data, query);
}

/** Everything that was opened on this page, by entry. "Back" opens it again, also local files. */
const openings = new Map<number, Opening>();
/** A new entry. Entries outlive the page when it is loaded again, so the entries of a later page must be larger. */
function newEntry(): number {
  return Math.max(Date.now(), ...openings.keys()) + 1;
}

/** Shows data. The view of the previous data stays until the new data have a fit. */
function show(data: OpenedData, query: URLSearchParams): void {
  const chosen = settingsFrom(query, data);
  settings.value = { data, chosen };
  onFirstFit(data, (now) => {
    const isColoured = viewFrom(query, data);
    if (!isColoured) colourBy.value = defaultColour(data) ?? 'none';
    // Arrows of single pixels are not informative.
    if (picture.peek() && !query.has('arrows')) showArrows.value = false;
    if (!isKByHand.peek()) k.value = initialK(now.model.varianceRatios);
    // Later, because an effect clears the selection when the data change.
    queueMicrotask(() => {
      if (fitted.peek() === now) selected.value = selectionFrom(query, now.model.n);
    });
  });
}

function initialK(ratios: Float64Array): number {
  let sum = 0;
  const found = ratios.findIndex((ratio) => {
    sum += ratio;
    return sum >= INITIAL_VARIANCE_SHARE;
  });
  return Math.min(ratios.length, Math.max(2, found < 0 ? ratios.length : found + 1));
}

export function openDataset(name: DatasetName): void {
  void openAndShow({ ...builtIn(name), isOpenedHere: true }, new URLSearchParams());
}

function builtIn(name: DatasetName): Omit<Opening, 'isOpenedHere'> {
  return { origin: DATASETS[name].origin, dataset: name, entry: newEntry() };
}

export function openLocalFile(file: File): void {
  openOwn({ kind: 'blob', name: file.name, blob: file });
}

export function openText(text: string): void {
  openOwn({ kind: 'text', name: 'pasted table', text });
}

function openOwn(origin: DataOrigin): void {
  isAnythingOpened.value = true;
  const opening = { origin, dataset: undefined, entry: newEntry(), isOpenedHere: true };
  void openAndShow(opening, pendingQuery.peek() ?? new URLSearchParams());
}

/** The settings of a link to a local file, applied when the user opens the file. */
export const pendingQuery = signal<URLSearchParams | undefined>(undefined);

const isAnythingOpened = signal(false);

/** Opens the data that the address names, unless data were opened already. */
export function openAddressOnce(): void {
  if (isAnythingOpened.peek()) return;
  isAnythingOpened.value = true;
  setKnownAddress(route.peek());
  openAddress(route.peek());
}

/** Opens the data and the view of an address. Data that are open already are not read again. */
export function openAddress({ query, data: entry }: Route): void {
  const now = opened.peek();
  const known = entry === undefined ? undefined : openings.get(entry);
  const [name, file] = [query.get('data'), query.get('file')];
  const isSame = now && (file ?? undefined) === now.file && (name ?? undefined) === dataName(now);
  if (isSame && (!known || known.entry === now.entry)) {
    const again = { ...now };
    opened.value = again;
    show(again, query);
  } else if (known) void openAndShow({ ...known, isOpenedHere: false }, query);
  else if (file !== null) openUrl(file, query);
  else if (name === OWN_FILE) {
    pendingQuery.value = query;
    if (now)
      problem.value =
        'This link belongs to a local file, which it does not contain. Open the file to see it as the link describes.';
  } else {
    const dataset = isDataset(name) ? name : 'iris';
    void openAndShow({ ...builtIn(dataset), isOpenedHere: false }, isDataset(name) ? query : new URLSearchParams());
  }
}

/** Opens a file on the server of the page. */
function openUrl(file: string, query: URLSearchParams): void {
  const url = URL.canParse(file, document.baseURI) ? new URL(file, document.baseURI) : undefined;
  // A link must not make the page fetch from another server.
  if (url?.origin === location.origin) {
    const name = decoded(url.pathname.split('/').at(-1) || 'data');
    const origin = { kind: 'url', name, url: url.href } as const;
    void openAndShow({ origin, dataset: undefined, file, entry: newEntry(), isOpenedHere: false }, query);
    return;
  }
  problem.value = url
    ? 'The address names a file on another server. The page fetches nothing from other servers: download the file and open it here.'
    : 'The address names a file that is not a valid URL.';
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
