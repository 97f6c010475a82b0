import { batch, effect, signal, untracked } from '@preact/signals';
import { type Route, rewriteAddress, route } from '../route.js';
import { loading, type OpenedData } from './data.js';
import { fitted, isOutdated } from './fit.js';
import { formatRanges, parseRanges } from './index-ranges.js';
import { showPictures } from './picture.js';
import { defaultSettings, type FitSettings, SCALE_CHOICES, SOLVER_CHOICES, settings } from './settings.js';
import { SpacedWrites } from './spaced-writes.js';
import {
  arrowLimit,
  axes,
  COLOURINGS,
  COLUMN_VALUES,
  colourBy,
  columnValue,
  component,
  is3d,
  isKByHand,
  k,
  LEVELS,
  OUTLINES,
  outlineKind,
  outlineLevel,
  selected,
  showArrows,
} from './view.js';

/** Stands for a local file in an address. Neither the file nor its name is in the address. */
export const OWN_FILE = 'own';

/** The name of the data in the address; undefined if the address has a file instead. */
export function dataName({ dataset, file }: OpenedData): string | undefined {
  return dataset ?? (file === undefined ? OWN_FILE : undefined);
}

/** The address holds all choices, so that it opens the same view again. It holds no data, only the name of a built-in set or of a file on the server. */

/** The settings of an address; missing or invalid ones have their defaults. */
export function settingsFrom(query: URLSearchParams, data: OpenedData): FitSettings {
  const usual = defaultSettings(data);
  const { columns } = data.info;
  const chosen = query.get('columns');
  const indexes = chosen === null ? undefined : parseRanges(chosen, columns.length)?.filter((j) => columns[j].usable);
  return {
    columns: indexes && indexes.length > 0 ? indexes : usual.columns,
    scale: oneOf(SCALE_CHOICES, query.get('scale')) ?? usual.scale,
    missing: oneOf(['drop', 'mean'] as const, query.get('missing')) ?? usual.missing,
    solver: oneOf(SOLVER_CHOICES, query.get('solver')) ?? usual.solver,
    gpu: usual.gpu,
    label: query.get('label') === 'none' ? undefined : (columnFrom(query.get('label'), data) ?? usual.label),
  };
}

/** Sets the view from an address. Returns true if the address sets the colour. */
export function viewFrom(query: URLSearchParams, data: OpenedData): boolean {
  const [x, y, z] = ['x', 'y', 'z'].map((name) => wholeNumber(query.get(name), 1e6));
  axes.value = [(x ?? 1) - 1, (y ?? 2) - 1, (z ?? 3) - 1].map((c) => Math.max(0, c)) as [number, number, number];
  is3d.value = query.get('view') === '3d';
  const arrows = wholeNumber(query.get('arrows'), 1e6);
  showArrows.value = arrows !== 0;
  arrowLimit.value = arrows || undefined;
  outlineKind.value = oneOf(OUTLINES, query.get('outline')) ?? 'none';
  outlineLevel.value = LEVELS.find((level) => String(level) === query.get('level')) ?? 0.95;
  columnValue.value = oneOf(COLUMN_VALUES, query.get('show')) ?? 'weight';
  component.value = Math.max(0, (wholeNumber(query.get('component'), 1e6) ?? 1) - 1);
  const pictures = query.get('pictures');
  showPictures.value = pictures === null ? undefined : pictures === '1';
  const kept = wholeNumber(query.get('k'), 1e6);
  if (kept) k.value = kept;
  isKByHand.value = kept !== undefined && kept > 0;
  const by = oneOf(COLOURINGS, query.get('colour')) ?? columnFrom(query.get('colour'), data);
  if (by !== undefined) colourBy.value = by;
  return by !== undefined;
}

/**
 * Writes the address while Explore is shown. Calls `follow` when the user changes the address, by going back or by editing it.
 * An empty address is filled in.
 */
export function syncAddress(follow: (address: Route) => void): () => void {
  const stop = effect(() => {
    const now = settings.value;
    const at = route.value;
    if (at.path[0] === 'learn') {
      writes.cancel();
      return;
    }
    if (at.query.size > 0 && !isKnown(at)) {
      known.value = at;
      writes.cancel();
      untracked(() => follow(at));
      return;
    }
    // Data are being opened, and the address may be theirs already.
    if (!now || loading.value) return;
    const { data, chosen } = now;
    const isShown = fitted.value?.data === data;
    // Until new data have a fit, the view belongs to the previous data. An address must not mix the two.
    if (!isShown && (fitted.value || !(isOutdated.value || chosen.columns.length === 0))) return;
    const usual = defaultSettings(data);
    const unlike = <Name extends keyof FitSettings>(name: Name, text: string, said = false): string | undefined =>
      !said && String(chosen[name]) === String(usual[name]) ? undefined : text;
    // Choices that the page made for the user are in the address, so that it means the same in later versions.
    const { scaling, leftOut } = data.advice ?? {};
    write(data, {
      data: dataName(data),
      file: data.file,
      columns: unlike('columns', formatRanges(chosen.columns), isShown && (leftOut?.length ?? 0) > 0),
      scale: unlike('scale', chosen.scale, isShown && scaling?.rule === 'unit'),
      missing: unlike('missing', chosen.missing),
      solver: unlike('solver', chosen.solver),
      label: unlike('label', String(chosen.label ?? 'none')),
      ...(isShown ? viewQuery() : {}),
    });
  });
  return () => {
    stop();
    writes.cancel();
  };
}

/** The part of the address about the view. */
function viewQuery(): Record<string, string | undefined> {
  const [x, y, z] = axes.value;
  return {
    // A k that was not chosen by hand follows from the data.
    k: isKByHand.value ? String(k.value) : undefined,
    x: x === 0 ? undefined : String(x + 1),
    y: y === 1 ? undefined : String(y + 1),
    z: !is3d.value || z === 2 ? undefined : String(z + 1),
    view: is3d.value ? '3d' : undefined,
    colour: String(colourBy.value),
    arrows: showArrows.value ? arrowLimit.value?.toString() : '0',
    outline: outlineKind.value === 'none' ? undefined : outlineKind.value,
    level: outlineLevel.value === 0.95 ? undefined : String(outlineLevel.value),
    show: columnValue.value === 'weight' ? undefined : columnValue.value,
    rows: selectionText(),
    pictures: showPictures.value === undefined ? undefined : showPictures.value ? '1' : '0',
    component: component.value === 0 ? undefined : String(component.value + 1),
  };
}

const writes = new SpacedWrites();

function write(data: OpenedData, query: Parameters<typeof rewriteAddress>[1]): void {
  const before = route.peek().data;
  const isNew = data.isOpenedHere && before !== undefined && before !== data.entry;
  // The history entry of the previous data gets their last settings.
  if (isNew) writes.flush();
  const write = (): void => {
    // In one batch, because `syncAddress` would follow an address that is not known yet.
    batch(() => {
      known.value = rewriteAddress(['explore'], query, data.entry, isNew);
    });
  };
  writes.schedule(write, isNew);
}

/** The address of the view that is shown or about to be shown. Any other address comes from the user. */
const known = signal<Route | undefined>(undefined);

function isKnown({ query, data }: Route): boolean {
  const own = known.peek();
  return String(query) === String(own?.query) && (data === undefined || data === own?.data);
}

export function setKnownAddress(address: Route): void {
  known.value = address;
}

/** Most characters of the selected rows in an address. */
const MAX_SELECTION_LENGTH = 400;

function selectionText(): string | undefined {
  const rows = selected.value;
  // Each scattered row takes five characters, so very many rows are certainly too long for an address.
  if (!rows || rows.length > 100_000) return undefined;
  const text = formatRanges([...rows]);
  return text.length > MAX_SELECTION_LENGTH ? undefined : text;
}

/** The rows that an address selects. */
export function selectionFrom(query: URLSearchParams, rows: number): Uint32Array | undefined {
  const text = query.get('rows');
  const indexes = text === null ? undefined : parseRanges(text, rows);
  return indexes && indexes.length > 0 ? Uint32Array.from(indexes) : undefined;
}

function oneOf<Choice extends string>(choices: readonly Choice[], text: string | null): Choice | undefined {
  return choices.find((choice) => choice === text);
}

/** The index of a column that can name or colour rows. */
function columnFrom(text: string | null, { info: { columns } }: OpenedData): number | undefined {
  const column = wholeNumber(text, columns.length - 1);
  return column !== undefined && columns[column].kind !== 'other' ? column : undefined;
}

/** A whole number from 0 to `most`. */
function wholeNumber(text: string | null, most: number): number | undefined {
  if (text === null || !/^\d{1,9}$/.test(text)) return undefined;
  return Number(text) <= most ? Number(text) : undefined;
}
