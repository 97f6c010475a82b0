/** How points are drawn; sizes are in CSS pixels. */
export interface PointStyle {
  readonly diameter: number;
  readonly alpha: number;
  /** Alpha of points that are not selected, while others are. */
  readonly fadedAlpha: number;
  readonly selectedDiameter: number;
  readonly selectedAlpha: number;
}

/**
 * Few points are large and nearly opaque; many are small and translucent, so that dense regions look dense. When zoomed in,
 * points grow with the space they have, but more slowly than the picture.
 */
export function pointStyleFor(count: number, width: number, height: number, magnification: number): PointStyle {
  const room = Math.sqrt((width * height) / Math.max(1, count / Math.max(1, magnification) ** 1.2));
  const diameter = clamp(0.5 * room, 1.7, 7);
  const alpha = clamp(0.12 + 0.16 * room ** 0.6, 0.2, 0.85);
  const selectedDiameter = Math.max(3, diameter * 1.2);
  return { diameter, alpha, fadedAlpha: alpha * 0.28, selectedDiameter, selectedAlpha: Math.max(0.9, alpha) };
}

/** In 3-D, how much of its colour a point keeps: far points fade. The camera is four radii away, so depth is about 1 ± ¼. */
export function depthFade(depth: number): number {
  return clamp(1 - (depth - 0.75) * 0.8, 0.5, 1);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
