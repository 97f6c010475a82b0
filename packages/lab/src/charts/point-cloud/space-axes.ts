import { shortenMiddle } from '../../shorten.js';
import { type Bounds, middle } from './bounds.js';
import { children, group, set, setText, textWidth } from './svg.js';
import { project, type View } from './view.js';

type Place = readonly [number, number, number];

/** The box around the cloud, and three axes through the mean with their names at the positive ends. Below the points. */
export function drawSpaceAxes(layer: SVGSVGElement, view: View, bounds: Bounds, names: readonly string[]): void {
  const { low, high } = bounds;
  // Scores are centred on 0; what is not has its axes through the middle of the box.
  const centre = middle(bounds).map((value, side) => (low[side] <= 0 && high[side] >= 0 ? 0 : value));
  const edges: [Place, Place][] = [];
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
      const at = (end: number): Place => {
        const [x, y, z] = corner.map((chosen, i) => ((i === side ? end : chosen) === 1 ? high[i] : low[i]));
        return [x, y, z];
      };
      edges.push([at(0), at(1)]);
    }
  }
  drawLines(group(layer, 'box'), view, edges);
  const end = (side: number, value: number): Place => {
    const [x, y, z] = centre.map((at, i) => (i === side ? value : at));
    return [x, y, z];
  };
  // A little longer than the box, so that names stand outside the points.
  const tips = [0, 1, 2].map((side) => end(side, high[side] + 0.06 * (high[side] - low[side])));
  drawLines(
    group(layer, 'axes'),
    view,
    tips.map((tip, side) => [end(side, low[side]), tip]),
  );
  children(group(layer, 'axis-names'), 'text', 3).forEach((text, side) => {
    const tip = project(view, ...tips[side]);
    const from = project(view, centre[0], centre[1], centre[2]);
    const name = shortenMiddle(names[side] ?? '', 28);
    const width = textWidth(name, 600);
    const length = Math.hypot(tip.x - from.x, tip.y - from.y) || 1;
    // Beyond the tip, in the direction the axis is seen; never outside the picture when the tip is inside.
    const x = tip.x + ((tip.x - from.x) / length) * (8 + width / 2);
    const y = tip.y + ((tip.y - from.y) / length) * 12 + 4;
    const inside = tip.x >= 0 && tip.x <= view.width && tip.y >= 0 && tip.y <= view.height;
    set(text, {
      x: inside ? Math.min(view.width - width / 2 - 4, Math.max(width / 2 + 4, x)) : x,
      y: inside ? Math.min(view.height - 6, Math.max(14, y)) : y,
      'text-anchor': 'middle',
      'fill-opacity': tip.depth > 0.05 ? 1 : 0,
    });
    setText(text, name);
  });
}

function drawLines(parent: SVGGElement, view: View, lines: readonly (readonly [Place, Place])[]): void {
  children(parent, 'line', lines.length).forEach((line, i) => {
    const [from, to] = lines[i].map((place) => project(view, ...place));
    // An end behind the eye has no place in the picture.
    const seen = from.depth > 0.05 && to.depth > 0.05;
    set(line, seen ? { x1: from.x, y1: from.y, x2: to.x, y2: to.y } : { x1: -9, y1: -9, x2: -9, y2: -9 });
  });
}
