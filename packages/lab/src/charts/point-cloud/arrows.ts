import { shortenMiddle } from '../../shorten.js';
import type { Layout } from './layout.js';
import { children, group, set, setText, textWidth } from './svg.js';
import type { CloudArrow } from './types.js';
import { project, type View } from './view.js';

const HEAD = 8;
const LINE = 15;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** Arrows of a biplot above the points, and their names where there is room: the longest arrows first. */
export function drawArrows(layer: SVGElement, layout: Layout, view: View, arrows: readonly CloudArrow[]): void {
  const from = project(view, 0, 0, 0);
  const shown = arrows
    .map((arrow) => ({ tip: project(view, arrow.x, arrow.y, arrow.z ?? 0), label: shortenMiddle(arrow.label, 24) }))
    .filter(({ tip }) => tip.depth > 0.05 && from.depth > 0.05)
    .map((arrow) => ({ ...arrow, dx: arrow.tip.x - from.x, dy: arrow.tip.y - from.y }))
    .sort((a, b) => Math.hypot(b.dx, b.dy) - Math.hypot(a.dx, a.dy));
  // Twice the same line: a wide one in the colour of the ground makes the narrow one stand out from points of any colour.
  for (const name of ['arrow-halos', 'arrow-lines']) {
    children(group(layer, name), 'path', shown.length).forEach((path, i) => {
      set(path, { d: arrowPath(from.x, from.y, shown[i].dx, shown[i].dy) });
    });
  }
  const taken: Box[] = [];
  children(group(layer, 'arrow-names'), 'text', shown.length).forEach((text, i) => {
    const { tip, dx, dy, label } = shown[i];
    const box = roomFor(tip.x, tip.y, dx, dy, textWidth(label, 600), taken, layout);
    if (box) taken.push(box);
    setText(text, box ? label : '');
    if (box) set(text, { x: box.x + box.width / 2, y: box.y + 12, 'text-anchor': 'middle' });
  });
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

/** A place for a name next to its tip: outwards first, then beside, above and below; none where all are taken. */
function roomFor(
  tipX: number,
  tipY: number,
  dx: number,
  dy: number,
  width: number,
  taken: readonly Box[],
  { innerWidth, innerHeight }: Layout,
): Box | undefined {
  if (tipX < 0 || tipX > innerWidth || tipY < 0 || tipY > innerHeight) return undefined;
  const length = Math.hypot(dx, dy) || 1;
  const [outX, outY] = [dx / length, dy / length];
  const right = tipX + 7;
  const left = tipX - width - 7;
  const centre = tipX - width / 2;
  const level = tipY - LINE / 2;
  const places = [
    // The box touches a circle around the tip in the arrow's direction.
    [centre + outX * (width / 2 + 7), level + outY * (LINE / 2 + 5)],
    [dx >= 0 ? right : left, level],
    [dx >= 0 ? right : left, level - LINE],
    [dx >= 0 ? right : left, level + LINE],
    [centre, tipY - LINE - 5],
    [centre, tipY + 5],
    [dx >= 0 ? left : right, level - LINE],
    [dx >= 0 ? left : right, level + LINE],
  ];
  for (const [x, y] of places) {
    const box = { x, y, width };
    const inside = x >= 0 && x + width <= innerWidth && y >= 0 && y + LINE <= innerHeight;
    if (inside && taken.every((other) => apart(box, other))) return box;
  }
  return undefined;
}

function apart(a: Box, b: Box): boolean {
  return a.x + a.width + 3 <= b.x || b.x + b.width + 3 <= a.x || a.y + LINE <= b.y || b.y + LINE <= a.y;
}
