import { batch, effect, untracked } from '@preact/signals';
import { type Route, rewriteAddress, route } from '../route.js';
import type { Opened } from './data.js';
import { fitted, outdated } from './fit.js';
import { wantsPictures } from './picture.js';
import { readPlaces, writePlaces } from './index-ranges.js';
import { defaultsFor, SCALES, type Settings, SOLVERS, settings } from './settings.js';
import { arrows, axes, colour, component, k, selected, solid } from './view.js';

/** Data of an address whose file is somebody's own: neither the file nor its name is in it. */
export const OWN = 'own';

/** What the address says of data; nothing where it has their file. */
export function nameOf({ dataset, file }: Opened): string | undefined {
  return dataset ?? (file === undefined ? OWN : undefined);
}

/** All that was chosen, in the address: whoever opens it sees the same. Of the data it holds the name of a built-in set only. */

/** Chosen settings as the address has them; what it says wrongly, or not, is as usual. */
export function settingsFrom(query: URLSearchParams, data: Opened): Settings {
  const usual = defaultsFor(data);
  const { columns } = data.facts;
  const chosen = query.get('columns');
  const places = chosen === null ? undefined : readPlaces(chosen, columns.length)?.filter((j) => columns[j].usable);
  return {
    columns: places && places.length > 0 ? places : usual.columns,
    scale: oneOf(SCALES, query.get('scale')) ?? usual.scale,
    missing: oneOf(['drop', 'mean'] as const, query.get('missing')) ?? usual.missing,
    solver: oneOf(SOLVERS, query.get('solver')) ?? usual.solver,
    label: query.get('label') === 'none' ? undefined : (namingColumn(query.get('label'), data) ?? usual.label),
  };
}

/** The view as the address has it; what it does not say is told by the result. */
export function viewFrom(query: URLSearchParams, data: Opened): { colour: boolean; k: boolean } {
  const [x, y, z] = ['x', 'y', 'z'].map((name) => count(query.get(name), 1e6));
  axes.value = [(x ?? 1) - 1, (y ?? 2) - 1, (z ?? 3) - 1].map((c) => Math.max(0, c)) as [number, number, number];
  solid.value = query.get('view') === '3d';
  arrows.value = query.get('arrows') !== '0';
  component.value = Math.max(0, (count(query.get('component'), 1e6) ?? 1) - 1);
  const pictures = query.get('pictures');
  wantsPictures.value = pictures === null ? undefined : pictures === '1';
  const kept = count(query.get('k'), 1e6);
  if (kept) k.value = kept;
  const by = query.get('colour');
  const place = namingColumn(by, data);
  if (by === 'none' || by === 'error') colour.value = by;
  else if (place !== undefined) colour.value = place;
  return { colour: by === 'none' || by === 'error' || place !== undefined, k: kept !== undefined && kept > 0 };
}

/**
 * Keeps the address true while Explore is shown. Where it becomes another by itself, because somebody went back or wrote
 * into it, `follow` gets what it says; an address that says nothing is given what is shown.
 */
export function keepAddress(follow: (query: URLSearchParams) => void): () => void {
  const stop = effect(() => {
    const now = settings.value;
    const at = route.value;
    if (at.path[0] === 'learn') {
      clearTimeout(later);
      return;
    }
    if (at.query.size > 0 && String(at.query) !== String(known?.query)) {
      known = at;
      clearTimeout(later);
      untracked(() => follow(at.query));
      return;
    }
    if (!now) return;
    const { data, chosen } = now;
    const isShown = fitted.value?.data === data;
    // Until data have a fit, what is looked at is of the data before: an address is of one or of the other, never of both.
    if (!isShown && (fitted.value || !(outdated.value || chosen.columns.length === 0))) return;
    const usual = defaultsFor(data);
    const unlike = <Name extends keyof Settings>(name: Name, text: string): string | undefined =>
      String(chosen[name]) === String(usual[name]) ? undefined : text;
    write({
      data: nameOf(data),
      file: data.file,
      columns: unlike('columns', writePlaces(chosen.columns)),
      scale: unlike('scale', chosen.scale),
      missing: unlike('missing', chosen.missing),
      solver: unlike('solver', chosen.solver),
      label: unlike('label', String(chosen.label ?? 'none')),
      ...(isShown ? viewText() : {}),
    });
  });
  return () => {
    stop();
    clearTimeout(later);
  };
}

/** The view as the address has it. */
function viewText(): Record<string, string | undefined> {
  const [x, y, z] = axes.value;
  return {
    k: String(k.value),
    x: x === 0 ? undefined : String(x + 1),
    y: y === 1 ? undefined : String(y + 1),
    z: !solid.value || z === 2 ? undefined : String(z + 1),
    view: solid.value ? '3d' : undefined,
    colour: String(colour.value),
    arrows: arrows.value ? undefined : '0',
    rows: selectedText(),
    pictures: wantsPictures.value === undefined ? undefined : wantsPictures.value ? '1' : '0',
    component: component.value === 0 ? undefined : String(component.value + 1),
  };
}

/** Milliseconds between two writings: a slider changes at every step, and Safari takes a hundred in half a minute. */
const PAUSE = 400;
let wrote = Number.NEGATIVE_INFINITY;
let later: ReturnType<typeof setTimeout> | undefined;

function write(query: Parameters<typeof rewriteAddress>[1]): void {
  clearTimeout(later);
  const now = (): void => {
    // At once: an address that is not known yet would be followed.
    batch(() => {
      known = rewriteAddress(['explore'], query);
    });
    wrote = performance.now();
  };
  const wait = wrote + PAUSE - performance.now();
  if (wait <= 0) now();
  else later = setTimeout(now, wait);
}

/** The address of what is shown, or about to be: any other is one that somebody went to. */
let known: Route | undefined;

export function knowAddress(address: Route): void {
  known = address;
}

/** Longest list of selected rows that an address takes. */
const LONGEST = 400;

function selectedText(): string | undefined {
  const rows = selected.value;
  // Rows that lie scattered take five letters each: where they are sure to be too many, nothing is written at all.
  if (!rows || rows.length > 100_000) return undefined;
  const text = writePlaces([...rows]);
  return text.length > LONGEST ? undefined : text;
}

/** Rows that the address selects, of so many. */
export function selectionFrom(query: URLSearchParams, rows: number): Uint32Array | undefined {
  const text = query.get('rows');
  const places = text === null ? undefined : readPlaces(text, rows)?.filter((place) => place < rows);
  return places && places.length > 0 ? Uint32Array.from(places) : undefined;
}

function oneOf<Choice extends string>(choices: readonly Choice[], text: string | null): Choice | undefined {
  return choices.find((choice) => choice === text);
}

/** A column that can name or colour rows. */
function namingColumn(text: string | null, { facts: { columns } }: Opened): number | undefined {
  const place = count(text, columns.length - 1);
  return place !== undefined && columns[place].kind !== 'other' ? place : undefined;
}

/** A whole number from 0 to `most`. */
function count(text: string | null, most: number): number | undefined {
  if (text === null || !/^\d{1,9}$/.test(text)) return undefined;
  return Number(text) <= most ? Number(text) : undefined;
}
