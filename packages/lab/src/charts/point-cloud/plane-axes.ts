import { shortenMiddle } from '../../shorten.js';
import type { Layout } from './layout.js';
import { children, group, labelWidth, set, setText } from './svg.js';
import { axisTicks, timesPower } from './ticks.js';
import type { CameraView } from './view.js';

/**
 * Grid, ticks and names of two axes, below the points. They look like those of Observable Plot but are drawn here: they
 * follow the points in every frame, and Plot would build a new figure each time.
 */
export function drawPlaneAxes(
  layer: SVGSVGElement,
  layout: Layout,
  view: CameraView,
  names: readonly string[],
  power = 0,
): void {
  const { left, top, innerWidth, innerHeight, width, height } = layout;
  const scaleX = (view.matrix[0] * innerWidth) / 2;
  const scaleY = (view.matrix[4] * innerHeight) / 2;
  const halfX = innerWidth / 2 / scaleX;
  const halfY = innerHeight / 2 / scaleY;
  const across = axisTicks(view.origin[0] - halfX, view.origin[0] + halfX, innerWidth / 80, power);
  const up = axisTicks(view.origin[1] - halfY, view.origin[1] + halfY, innerHeight / 60, power);
  const pixelX = (value: number): number => crisp(left + innerWidth / 2 + (value - view.origin[0]) * scaleX);
  const pixelY = (value: number): number => crisp(top + innerHeight / 2 - (value - view.origin[1]) * scaleY);
  const right = left + innerWidth;
  const bottom = top + innerHeight;

  children(group(layer, 'grid'), 'line', across.values.length + up.values.length).forEach((line, i) => {
    const vertical = i < across.values.length;
    const value = vertical ? across.values[i] : up.values[i - across.values.length];
    const at = vertical ? pixelX(value) : pixelY(value);
    set(line, vertical ? { x1: at, x2: at, y1: top, y2: bottom } : { x1: left, x2: right, y1: at, y2: at });
    set(line, { class: value === 0 ? 'zero' : '' });
  });
  children(group(layer, 'ticks-x'), 'text', across.values.length).forEach((text, i) => {
    set(text, { x: pixelX(across.values[i]), y: bottom + 17, 'text-anchor': 'middle' });
    setText(text, across.texts[i]);
  });
  children(group(layer, 'ticks-y'), 'text', up.values.length).forEach((text, i) => {
    set(text, { x: left - 8, y: pixelY(up.values[i]) + 4, 'text-anchor': 'end' });
    setText(text, up.texts[i]);
  });
  const [nameX, nameY] = children(group(layer, 'names'), 'text', 2);
  set(nameX, { x: right, y: height - 6, 'text-anchor': 'end' });
  setText(nameX, `${fit(`${names[0]}${timesPower(across.exponent)}`, width - 40)} →`);
  set(nameY, { x: 2, y: 14, 'text-anchor': 'start' });
  // An axis without a name shows no component.
  setText(nameY, names[1] === '' ? '' : `↑ ${fit(`${names[1]}${timesPower(up.exponent)}`, width - 40)}`);
}

/** Lines of one pixel are aligned to pixels. */
function crisp(pixel: number): number {
  return Math.floor(pixel) + 0.5;
}

function fit(text: string, room: number): string {
  const width = labelWidth(text, 600);
  return width <= room ? text : shortenMiddle(text, Math.max(4, Math.floor((Array.from(text).length * room) / width)));
}
