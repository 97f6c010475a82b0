import { FONT_SIZE, figureText, lineWidth } from './figure.js';

/** Names beside points, without overlaps. Coordinates are pixels of the figure. */

export interface NameArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Wanted {
  readonly at: readonly [x: number, y: number];
  readonly name: string;
  /** The preferred direction from the point to its name. For an arrow: away from the origin. Default: to the right. */
  readonly towards?: readonly [x: number, y: number];
}

/** An arrow from the origin with a name at its tip. */
export interface NamedArrow {
  readonly name: string;
  readonly at: readonly [x: number, y: number];
}

export interface PlacedName extends NameArea {
  readonly name: string;
}

/** Distance of a name from its point. */
const GAP = 7;

/**
 * Returns a place for each name, most important names first. Returns undefined for a name if every place beside its point covers another
 * name or an obstacle, or lies outside the frame. A name may be to the right or left of its point, above or below it, or at a corner. The
 * nearest free place is taken; of several at the same distance, the one closest to the preferred direction.
 */
export function placeNames(
  wanted: readonly Wanted[],
  frame: NameArea,
  obstacles: readonly NameArea[] = [],
  size = FONT_SIZE,
): (PlacedName | undefined)[] {
  const taken = [...obstacles];
  return wanted.map((each) => {
    const free = placesOf(each, size).find(({ box }) => isFree(box, frame, taken))?.box;
    if (!free) return undefined;
    taken.push(free);
    return { ...free, name: each.name };
  });
}

/**
 * The same for the tips of arrows. Names are on the far side of the tips. If there are many arrows, a name must not cover an arrow that was
 * placed before or be crossed by a later one, and an arrow whose name has no place should not be drawn. Few arrows are all drawn
 * (`drawAll`): a name then avoids all arrows if it can, and otherwise only other names and tips.
 */
export function placeArrowNames(
  arrows: readonly NamedArrow[],
  origin: readonly [x: number, y: number],
  frame: NameArea,
  { size = FONT_SIZE, drawAll = false }: { size?: number; drawAll?: boolean } = {},
): (PlacedName | undefined)[] {
  const all = arrows.map(({ at }) => shaftOf(origin, at));
  const tips = drawAll ? arrows.map(({ at }) => dotBox(at, 3)) : [];
  const shafts = drawAll ? all.flatMap(outerPart) : [];
  const names: NameArea[] = [];
  return arrows.map(({ name, at }, i) => {
    if (names.length >= MOST_ARROWS) return undefined;
    const crossed = all[i].some((part) => names.some((other) => overlap(part, inner(other))));
    if (crossed && !drawAll) return undefined;
    const towards = [at[0] - origin[0], at[1] - origin[1]] as const;
    const places = placesOf({ name, at, towards }, size).filter(({ turn }) => turn <= SIDEWAYS);
    const find = (taken: readonly NameArea[]): NameArea | undefined =>
      places.find(({ box }) => isFree(box, frame, taken) && !all[i].some((part) => overlap(part, inner(box))))?.box;
    const free = find([...names, ...tips, ...shafts]) ?? (drawAll ? find([...names, ...tips]) : undefined);
    if (!free) return undefined;
    names.push(free);
    if (!drawAll) {
      tips.push(dotBox(at, 3));
      shafts.push(...outerPart(all[i]));
    }
    return { ...free, name };
  });
}

/** Small boxes along an arrow. */
function shaftOf([x, y]: readonly [number, number], [toX, toY]: readonly [number, number]): NameArea[] {
  const steps = Math.ceil(Math.hypot(toX - x, toY - y) / 5);
  return Array.from({ length: steps }, (_, i) => {
    const share = (i + 1) / steps;
    return dotBox([x + share * (toX - x), y + share * (toY - y)], 1.5);
  });
}

/** The end of an arrow: near the origin all arrows meet. */
function outerPart(shaft: readonly NameArea[]): readonly NameArea[] {
  return shaft.slice(Math.floor(0.7 * shaft.length));
}

/** Maximum number of arrows that a reader can follow to their names. */
const MOST_ARROWS = 20;

/** The name of an arrow may stand beside its tip, but not on the arrow: −cos of the angle to its direction. */
const SIDEWAYS = 0.5;

/** Places beside a point, the nearest in the wanted direction first; `turn` is −cos of the angle to it. */
function placesOf({ at: [x, y], name, towards = [1, 0] }: Wanted, size: number): { box: NameArea; turn: number }[] {
  // Names of arrows are bold, and bold letters are wider.
  const [width, height] = [1.1 * lineWidth(name, size), size + 1];
  const length = Math.hypot(...towards) || 1;
  return DIRECTIONS.map(([dx, dy]) => {
    const left = dx > 0 ? x + GAP : dx < 0 ? x - GAP - width : x - width / 2;
    const middle = y + dy * (height / 2 + (dx === 0 ? GAP : 1));
    return {
      box: { left, right: left + width, top: middle - height / 2, bottom: middle + height / 2 },
      turn: -(dx * towards[0] + dy * towards[1]) / (Math.hypot(dx, dy) * length),
      far: Math.max(0, Math.abs(dy) - 1),
    };
  }).sort((a, b) => a.far - b.far || a.turn - b.turn);
}

function isFree(box: NameArea, frame: NameArea, taken: readonly NameArea[]): boolean {
  return isInside(box, frame) && !taken.some((other) => overlap(box, other));
}

const DIRECTIONS = [
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
  [1, -1],
  [-1, -1],
  [1, 1],
  [-1, 1],
  // Half a line and a line further, for names that meet others.
  [1, -2],
  [-1, -2],
  [1, 2],
  [-1, 2],
  [1, -3],
  [-1, -3],
  [1, 3],
  [-1, 3],
] as const;

export function drawNames(
  names: readonly (PlacedName | undefined)[],
  { size = FONT_SIZE, weight, colour }: { size?: number; weight?: number; colour?: string } = {},
): string {
  return names
    .flatMap((placed) =>
      placed
        ? [
            figureText((placed.left + placed.right) / 2, placed.bottom - 0.22 * size, placed.name, {
              size,
              anchor: 'middle',
              halo: true,
              ...(weight === undefined ? {} : { weight }),
              ...(colour === undefined ? {} : { colour }),
            }),
          ]
        : [],
    )
    .join('');
}

/** The box of a dot. */
export function dotBox([x, y]: readonly [number, number], radius: number): NameArea {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
}

/** A box without its edge, which the letters of a name do not fill. */
function inner({ left, right, top, bottom }: NameArea): NameArea {
  return { left: left + 3, right: right - 3, top: top + 3, bottom: bottom - 3 };
}

function isInside(box: NameArea, frame: NameArea): boolean {
  return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
}

export function overlap(a: NameArea, b: NameArea): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
