import { shortenMiddle } from '../../shorten.js';
import type { NameBox } from './arrows.js';
import { type Bounds, middle } from './bounds.js';
import { children, group, labelWidth, set, setText } from './svg.js';
import { type CameraView, projectPoint } from './view.js';

type Point3d = readonly [number, number, number];

/**
 * The box around the cloud, and three axes through the mean with their names at the positive ends, below the points. Returns
 * the boxes of the names.
 */
export function drawSpaceAxes(
  layer: SVGSVGElement,
  view: CameraView,
  bounds: Bounds,
  names: readonly string[],
): NameBox[] {
  const { low, high } = bounds;
  // Scores are centred on 0. The axes of other points go through the middle of the box.
  const centre = middle(bounds).map((value, side) => (low[side] <= 0 && high[side] >= 0 ? 0 : value));
  const edges: [Point3d, Point3d][] = [];
  for (let side = 0; side < 3; side++) {
    for (const [first, second] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]) {
      const corner = [0, 0, 0];
      corner[(side + 1) % 3] = first;
      corner[(side + 2) % 3] = second;
      const at = (end: number): Point3d => {
        const [x, y, z] = corner.map((chosen, i) => ((i === side ? end : chosen) === 1 ? high[i] : low[i]));
        return [x, y, z];
      };
      edges.push([at(0), at(1)]);
    }
  }
  drawLines(group(layer, 'box'), view, edges);
  const end = (side: number, value: number): Point3d => {
    const [x, y, z] = centre.map((at, i) => (i === side ? value : at));
    return [x, y, z];
  };
  // A little longer than the box, so that names are outside the points.
  const tips = [0, 1, 2].map((side) => end(side, high[side] + 0.06 * (high[side] - low[side])));
  drawLines(
    group(layer, 'axes'),
    view,
    tips.map((tip, side) => [end(side, low[side]), tip]),
  );
  return children(group(layer, 'axis-names'), 'text', 3).map((text, side) => {
    const tip = projectPoint(view, ...tips[side]);
    const from = projectPoint(view, centre[0], centre[1], centre[2]);
    const name = shortenMiddle(names[side] ?? '', 28);
    const width = labelWidth(name, 600);
    const length = Math.hypot(tip.x - from.x, tip.y - from.y) || 1;
    // The name is beyond the tip, in the direction of the projected axis. It stays inside the picture if the tip is inside.
    const [outX, outY] = [(tip.x - from.x) / length, (tip.y - from.y) / length];
    const out = Math.min((width / 2 + 6) / Math.abs(outX || 1e-9), 12 / Math.abs(outY || 1e-9));
    const inside = tip.x >= 0 && tip.x <= view.width && tip.y >= 0 && tip.y <= view.height;
    const keep = (value: number, low: number, high: number): number =>
      inside ? Math.min(high, Math.max(low, value)) : value;
    const x = keep(tip.x + outX * out, width / 2 + 4, view.width - width / 2 - 4);
    const y = keep(tip.y + outY * out + 4, 14, view.height - 6);
    set(text, { x, y, 'text-anchor': 'middle', 'fill-opacity': tip.depth > 0.05 ? 1 : 0 });
    setText(text, name);
    return { x: x - width / 2, y: y - 12, width };
  });
}

function drawLines(parent: SVGGElement, view: CameraView, lines: readonly (readonly [Point3d, Point3d])[]): void {
  children(parent, 'line', lines.length).forEach((line, i) => {
    const [from, to] = lines[i].map((point) => projectPoint(view, ...point));
    // An end behind the camera has no position in the picture.
    const isVisible = from.depth > 0.05 && to.depth > 0.05;
    set(line, isVisible ? { x1: from.x, y1: from.y, x2: to.x, y2: to.y } : { x1: -9, y1: -9, x2: -9, y2: -9 });
  });
}
