import { shortenMiddle } from '../../shorten.js';
import type { Layout } from './layout.js';
import { children, group, labelWidth, set, setText } from './svg.js';
import type { CloudArrow } from './types.js';
import { type CameraView, type ProjectedPoint, projectPoint } from './view.js';

const HEAD = 8;
const LINE = 15;
/** From this width on, names may be placed over the lines of arrows. */
const ROOMY = 480;

/** The box of a name: its upper left corner and its width; names are one line high. */
export interface NameBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

interface Shown {
  readonly tip: ProjectedPoint;
  readonly dx: number;
  readonly dy: number;
  readonly label: string;
  readonly colour: string | undefined;
}

/** Letters of a name in the page; exported figures have whole names. */
const NAME_LENGTH = 24;

/**
 * Draws the arrows of a biplot above the points. A name is drawn if it fits; the longest arrows are named first. Returns the
 * names that do not fit.
 */
export function drawArrows(
  layer: SVGElement,
  layout: Layout,
  view: CameraView,
  arrows: readonly CloudArrow[],
  alreadyTaken: readonly NameBox[] = [],
  nameLength = NAME_LENGTH,
): string[] {
  const from = projectPoint(view, 0, 0, 0);
  const shown: Shown[] = arrows
    .map(({ x, y, z = 0, label, colour }) => ({
      tip: projectPoint(view, x, y, z),
      label: shortenMiddle(label, nameLength),
      colour,
    }))
    .filter(({ tip }) => tip.depth > 0.05 && from.depth > 0.05)
    .map((arrow) => ({ ...arrow, dx: arrow.tip.x - from.x, dy: arrow.tip.y - from.y }))
    .sort((a, b) => Math.hypot(b.dx, b.dy) - Math.hypot(a.dx, a.dy));
  // Each line is drawn twice: a wide one in the background colour makes the narrow one visible over points of any colour.
  for (const name of ['arrow-halos', 'arrow-lines']) {
    children(group(layer, name), 'path', shown.length).forEach((path, i) => {
      set(path, { d: arrowPath(from.x, from.y, shown[i].dx, shown[i].dy) });
      if (name === 'arrow-lines') path.style.stroke = shown[i].colour ?? '';
    });
  }
  const names = [...alreadyTaken];
  const unnamed: string[] = [];
  children(group(layer, 'arrow-names'), 'text', shown.length).forEach((text, i) => {
    const best = labelBox(i, shown, from, layout, names);
    setText(text, best ? shown[i].label : '');
    if (!best) {
      unnamed.push(shown[i].label);
      return;
    }
    names.push(best);
    set(text, { x: best.x + best.width / 2, y: best.y + 12, 'text-anchor': 'middle' });
  });
  return unnamed;
}

/** The first candidate box that overlaps nothing and is nearest to its own arrow. */
function labelBox(
  i: number,
  shown: readonly Shown[],
  from: ProjectedPoint,
  layout: Layout,
  taken: readonly NameBox[],
): NameBox | undefined {
  const { tip, label } = shown[i];
  const others = shown.filter((_, other) => other !== i);
  const free = candidateBoxes(shown[i], labelWidth(label, 600))
    .map((box) => movedInside(box, tip, layout))
    .filter((box) => isInside(box, layout) && !isOver(box, tip) && taken.every((other) => areApart(box, other)))
    // A name over the tip of another arrow would look like the name of that arrow, so it is left out.
    .filter((box) => others.every((other) => areApart(box, around(other.tip))));
  const clear = free.find((box) => {
    const middle = { x: box.x + box.width / 2, y: box.y + LINE / 2 };
    const away = (at: ProjectedPoint): number => Math.hypot(at.x - middle.x, at.y - middle.y);
    return (
      others.every((other) => away(tip) < away(other.tip)) && shown.every((arrow) => !crosses(box, from, arrow.tip))
    );
  });
  // In a wide figure a name may cross the line of another arrow.
  return clear ?? (layout.innerWidth >= ROOMY ? free[0] : undefined);
}

function arrowPath(x: number, y: number, dx: number, dy: number): string {
  const length = Math.hypot(dx, dy);
  if (length < 1) return '';
  const head = Math.min(HEAD, length / 2);
  const [alongX, alongY] = [(dx / length) * head, (dy / length) * head];
  const round = (value: number): number => Math.round(value * 10) / 10;
  const [tipX, tipY] = [x + dx, y + dy];
  const [backX, backY] = [tipX - alongX, tipY - alongY];
  const [sideX, sideY] = [-alongY * 0.45, alongX * 0.45];
  const points = [x, y, tipX, tipY, backX + sideX, backY + sideY, tipX, tipY, backX - sideX, backY - sideY].map(round);
  return `M${points[0]},${points[1]}L${points[2]},${points[3]}M${points[4]},${points[5]}L${points[6]},${points[7]}L${points[8]},${points[9]}`;
}

/** Candidate boxes: outwards from the tip, then beside, above and below it. */
function candidateBoxes({ tip, dx, dy }: Shown, width: number): NameBox[] {
  const length = Math.hypot(dx, dy) || 1;
  const [outX, outY] = [dx / length, dy / length];
  // Far enough outwards that the box ends at the tip.
  const out = Math.min((width / 2 + 6) / Math.abs(outX || 1e-9), (LINE / 2 + 4) / Math.abs(outY || 1e-9));
  const right = tip.x + 7;
  const left = tip.x - width - 7;
  const [ahead, behind] = dx >= 0 ? [right, left] : [left, right];
  const centre = tip.x - width / 2;
  const level = tip.y - LINE / 2;
  const outwards = [centre + outX * out, level + outY * out];
  const beside = [ahead, level + outY * 6];
  return [
    ...(Math.abs(outX) > 0.5 ? [beside, outwards] : [outwards, beside]),
    [ahead, level - LINE],
    [ahead, level + LINE],
    [centre, tip.y - LINE - 5],
    [centre, tip.y + 5],
    [behind, level - LINE],
    [behind, level + LINE],
  ].map(([x, y]) => ({ x, y, width }));
}

function around({ x, y }: ProjectedPoint): NameBox {
  return { x: x - 4, y: y - LINE / 2, width: 8 };
}

/** True if a line crosses a box: some part of the line is within the box both horizontally and vertically. */
function crosses(box: NameBox, from: ProjectedPoint, to: ProjectedPoint): boolean {
  let [first, last] = [0, 1];
  for (const [start, change, low, high] of [
    [from.x, to.x - from.x, box.x - 1, box.x + box.width + 1],
    [from.y, to.y - from.y, box.y + 1, box.y + LINE - 1],
  ]) {
    if (change === 0) {
      if (start < low || start > high) return false;
      continue;
    }
    const [a, b] = [(low - start) / change, (high - start) / change];
    first = Math.max(first, Math.min(a, b));
    last = Math.min(last, Math.max(a, b));
  }
  return first < last;
}

function isOver({ x, y, width }: NameBox, tip: ProjectedPoint): boolean {
  return tip.x > x - 2 && tip.x < x + width + 2 && tip.y > y - 2 && tip.y < y + LINE + 2;
}

/** The box moved into the picture, if its arrow ends there. */
function movedInside(box: NameBox, tip: ProjectedPoint, { innerWidth, innerHeight }: Layout): NameBox {
  if (tip.x < 0 || tip.x > innerWidth || tip.y < 0 || tip.y > innerHeight) return box;
  const { x, y, width } = box;
  const keep = (value: number, most: number): number => Math.max(0, Math.min(most, value));
  return { x: keep(x, innerWidth - width), y: keep(y, innerHeight - LINE), width };
}

function isInside({ x, y, width }: NameBox, { innerWidth, innerHeight }: Layout): boolean {
  return x >= 0 && x + width <= innerWidth && y >= 0 && y + LINE <= innerHeight;
}

function areApart(a: NameBox, b: NameBox): boolean {
  return a.x + a.width + 3 <= b.x || b.x + b.width + 3 <= a.x || a.y + LINE <= b.y || b.y + LINE <= a.y;
}
