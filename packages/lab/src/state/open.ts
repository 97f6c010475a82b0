import { signal } from '@preact/signals';
import { DATASETS, type DatasetName, isDataset } from '../data/datasets.js';
import { route } from '../route.js';
import type { Origin } from '../worker/messages.js';
import { dataName, OWN_FILE, selectionFrom, setKnownAddress, settingsFrom, viewFrom } from './address.js';
import { loadData, type OpenedData, opened, problem } from './data.js';
import { fitted, onFirstFit } from './fit.js';
import { picture } from './picture.js';
import { defaultColour, settings } from './settings.js';
import { colourBy, isKByHand, k, selected, showArrows } from './view.js';

/** Share of the variance that k keeps where nothing else advises it, and until something does. */
const INITIAL_VARIANCE_SHARE = 0.9;

/** Opens data and shows them with the settings of the address, or with defaults. */
async function openAndShow(
  origin: Origin,
  dataset: string | undefined,
  query: URLSearchParams,
  file?: string,
): Promise<void> {
  const data = await loadData(origin, dataset, file);
  if (!data) return;
  pendingQuery.value = undefined;
  show(data, query);
}

/** Shows data. What is shown of other data stays until there is a fit of these. */
function show(data: OpenedData, query: URLSearchParams): void {
  const chosen = settingsFrom(query, data);
  settings.value = { data, chosen };
  onFirstFit(data, (now) => {
    const isColoured = viewFrom(query, data);
    if (!isColoured) colourBy.value = defaultColour(data) ?? 'none';
    // Arrows of single pixels are not informative.
    if (picture.peek() && !query.has('arrows')) showArrows.value = false;
    if (!isKByHand.peek()) k.value = initialK(now.model.varianceRatios);
    // After the selection was cleared because the data changed.
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

export function openDataset(name: DatasetName, query = new URLSearchParams()): void {
  void openAndShow(DATASETS[name].origin, name, query);
}

export function openFile(file: File): void {
  isAnythingOpened = true;
  void openAndShow(
    { kind: 'blob', name: file.name, blob: file },
    undefined,
    pendingQuery.peek() ?? new URLSearchParams(),
  );
}

export function openText(text: string): void {
  void openAndShow(
    { kind: 'text', name: 'pasted table', text },
    undefined,
    pendingQuery.peek() ?? new URLSearchParams(),
  );
}

/** The settings of a link to a local file, applied when the user opens the file. */
export const pendingQuery = signal<URLSearchParams | undefined>(undefined);

let isAnythingOpened = false;

/** Opens what the address names, unless something was opened already. */
export function openAddressOnce(): void {
  if (isAnythingOpened) return;
  isAnythingOpened = true;
  setKnownAddress(route.peek());
  openAddress(route.peek().query);
}

/** Shows what an address describes. Open data are not read again. */
export function openAddress(query: URLSearchParams): void {
  const now = opened.peek();
  const [name, file] = [query.get('data'), query.get('file')];
  if (now && (file ?? undefined) === now.file && (name ?? undefined) === dataName(now)) {
    const again = { ...now };
    opened.value = again;
    show(again, query);
  } else if (file !== null) openUrl(file, query);
  else if (name === OWN_FILE) {
    pendingQuery.value = query;
    if (now)
      problem.value =
        'This link belongs to a local file, which it does not contain. Open the file to see it as the link describes.';
  } else if (isDataset(name)) openDataset(name, query);
  else openDataset('iris');
}

/** Opens a file on the server of the page. */
function openUrl(file: string, query: URLSearchParams): void {
  const url = URL.canParse(file, document.baseURI) ? new URL(file, document.baseURI) : undefined;
  // A link must not make the page fetch from another server.
  if (url?.origin === location.origin) {
    const name = decoded(url.pathname.split('/').at(-1) || 'data');
    void openAndShow({ kind: 'url', name, url: url.href }, undefined, query, file);
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
