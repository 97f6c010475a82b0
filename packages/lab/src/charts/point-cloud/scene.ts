import { drawArrows, type NameBox } from './arrows.js';
import { type Bounds, boundsOf } from './bounds.js';
import { type Camera, interpolate, isHome } from './camera.js';
import { CanvasPainter, usesWebgl } from './canvas-painter.js';
import { listenForGestures, type PixelPosition } from './gestures.js';
import { rowsInside, union } from './lasso.js';
import { type Layout, layoutOf } from './layout.js';
import { drawMarks } from './marks.js';
import { nearestRow } from './nearest.js';
import { OrbitCamera } from './orbit-camera.js';
import { drawOutlines } from './outlines.js';
import type { DrawRange, PaintedCloud } from './painter.js';
import { paletteBytes } from './palette.js';
import { drawPlaneAxes } from './plane-axes.js';
import { PlaneCamera } from './plane-camera.js';
import { Renderer } from './renderer.js';
import { type Size, watchSize } from './size.js';
import { drawSpaceAxes } from './space-axes.js';
import { runInSlices } from './time-slices.js';
import type { CloudLegend, PointCloudProps } from './types.js';
import { type CameraView, projectPoint } from './view.js';
import { WebglPainter } from './webgl-painter.js';

/** The elements of the figure: axes below the points, arrows and marks above, and a note about points that are not drawn. */
export interface Layers {
  readonly container: HTMLElement;
  readonly below: SVGSVGElement;
  readonly canvas: HTMLCanvasElement;
  readonly above: SVGSVGElement;
  readonly note: HTMLElement;
}

/** A picture as it was when it was taken, for export. */
export interface CloudSnapshot {
  readonly layers: Layers;
  readonly cloud: PaintedCloud;
  readonly range: DrawRange;
  readonly layout: Layout;
  readonly label: string;
  readonly legend: CloudLegend | undefined;
  readonly captions: readonly string[];
  /** Draws outlines and arrows into a layer, with whole names. Returns the names that do not fit. */
  drawAbove(layer: SVGElement): string[];
}

/** How near to a point the pointer must be to hover it, in pixels. */
const HOVER_RADIUS = 12;
/** Duration of the animation back to the initial view. */
const RESET_MILLISECONDS = 220;

/** The figure: holds the state, and draws it in the next frame after a change. */
export class Scene {
  readonly #layers: Layers;
  readonly #renderer: Renderer;
  readonly #stops: (() => void)[] = [];
  #props: PointCloudProps;
  #cloud: PaintedCloud;
  #bounds: Bounds;
  #camera: Camera;
  #layout: Layout = layoutOf(1, 1, false);
  #size: Size = { width: 0, height: 0, ratio: 1 };
  /** Boxes of the names of axes among the points, in 3-D. */
  #axisNames: readonly NameBox[] = [];
  /** True if axes and arrows must be drawn. The renderer knows when points must be drawn. */
  #areLayersStale = true;
  #resized = true;
  #hoverAt: PixelPosition | undefined;
  #isHoverPending = false;
  #lassoLine: readonly number[] | undefined;
  #lassoSearch: AbortController | undefined;
  #resetAnimation: { readonly from: readonly number[]; readonly start: number } | undefined;
  #frameRequest = 0;

  constructor(layers: Layers, props: PointCloudProps) {
    this.#layers = layers;
    this.#props = props;
    const restored = (): void => this.#redraw('positions');
    const webgl = usesWebgl(props) ? WebglPainter.create(layers.canvas, restored) : undefined;
    this.#renderer = new Renderer(webgl ?? new CanvasPainter(layers.canvas));
    this.#cloud = {
      points: props.points,
      colours: props.colours,
      palette: paletteBytes(props.palette),
      selected: props.selected.peek(),
    };
    this.#renderer.painter.show(this.#cloud);
    this.#bounds = boundsOf(props.points, props.arrows);
    this.#camera = this.#newCamera();
    this.#noteUndrawnPoints();
    const resize = (size: Size): void => {
      this.#size = size;
      this.#resized = true;
      this.#requestFrame();
    };
    this.#stops.push(listenForGestures(layers.canvas, this.#listener()), watchSize(layers.container, resize));
  }

  /** The complete picture as it is now, for export. */
  get snapshot(): CloudSnapshot {
    const range = this.#renderer.wholePicture(this.#camera.view(), this.#camera.magnification);
    const { label, legend, captions = [] } = this.#props;
    return {
      layers: this.#layers,
      cloud: this.#cloud,
      range,
      layout: this.#layout,
      label,
      legend,
      captions,
      drawAbove: (layer) => this.#drawAbove(layer, this.#camera.view(), Number.POSITIVE_INFINITY),
    };
  }

  update(props: PointCloudProps): void {
    const before = this.#props;
    this.#props = props;
    const { points, colours, palette } = props;
    const moved = points !== before.points;
    if (moved || colours !== before.colours || palette !== before.palette) {
      const bytes = palette === before.palette ? this.#cloud.palette : paletteBytes(palette);
      this.#show({ ...this.#cloud, points, colours, palette: bytes }, moved ? 'positions' : 'colours');
    }
    if (moved) {
      this.#lassoSearch?.abort();
      this.#noteUndrawnPoints();
    }
    const reframed = props.equalUnits !== before.equalUnits || (props.arrows !== before.arrows && isHome(this.#camera));
    if (moved || reframed) {
      this.#resetAnimation = undefined;
      this.#bounds = boundsOf(points, props.arrows);
      this.#camera = this.#newCamera();
      this.#resized = true;
    }
    this.#redraw();
  }

  /** Follows the selection. The ring around the hovered point is a mark: the points need not be drawn again for it. */
  selectionChanged(selected: Uint32Array | undefined): void {
    if (selected !== this.#cloud.selected) this.#show({ ...this.#cloud, selected }, 'colours');
  }

  marksChanged(): void {
    this.#requestFrame();
  }

  resetView(): void {
    if (isHome(this.#camera)) return;
    const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (reducedMotion) this.#camera.state = this.#camera.home;
    else this.#resetAnimation = { from: this.#camera.state, start: performance.now() };
    this.#redraw();
  }

  dispose(): void {
    cancelAnimationFrame(this.#frameRequest);
    this.#lassoSearch?.abort();
    for (const stop of this.#stops) stop();
    this.#renderer.painter.dispose();
  }

  #newCamera(): Camera {
    const { points, equalUnits = true } = this.#props;
    return points.z ? new OrbitCamera(this.#bounds, equalUnits) : new PlaneCamera(this.#bounds, equalUnits);
  }

  #show(cloud: PaintedCloud, changed: 'colours' | 'positions'): void {
    this.#cloud = cloud;
    this.#renderer.painter.show(cloud);
    this.#redraw(changed);
  }

  #redraw(changed?: 'colours' | 'positions'): void {
    if (changed) this.#renderer.invalidate(changed);
    this.#areLayersStale = true;
    this.#requestFrame();
  }

  #requestFrame(): void {
    this.#frameRequest ||= requestAnimationFrame((now) => {
      this.#frameRequest = 0;
      this.#frame(now);
    });
  }

  #frame(now: number): void {
    if (this.#size.width === 0) return;
    if (this.#resized) this.#applySize();
    this.#animateReset(now);
    const view = this.#camera.view();
    const { magnification } = this.#camera;
    const more = this.#renderer.frame(now, view, magnification, this.#cloud.points.z !== undefined);
    if (this.#areLayersStale) this.#drawLayers(view);
    this.#areLayersStale = false;
    if (this.#isHoverPending) this.#findHovered(view);
    this.#drawMarks(view);
    if (more || this.#resetAnimation) this.#requestFrame();
  }

  #drawLayers(view: CameraView): void {
    const { below, above } = this.#layers;
    const names = this.#props.axes.map(({ label }) => label);
    this.#axisNames = [];
    if (this.#cloud.points.z) this.#axisNames = drawSpaceAxes(below, view, this.#bounds, names);
    else drawPlaneAxes(below, this.#layout, view, names, this.#props.exponent10);
    this.#drawAbove(above, view);
  }

  /** Draws outlines and arrows over the points, and returns the names of arrows that do not fit. */
  #drawAbove(layer: SVGElement, view: CameraView, nameLength?: number): string[] {
    drawOutlines(layer, view, this.#props.outlines ?? []);
    return drawArrows(layer, this.#layout, view, this.#props.arrows ?? [], this.#axisNames, nameLength);
  }

  #drawMarks(view: CameraView): void {
    const row = this.#props.hovered.peek();
    const { x, y, z } = this.#cloud.points;
    const projected = row === undefined || row >= x.length ? undefined : projectPoint(view, x[row], y[row], z?.[row]);
    const { style } = this.#renderer.wholePicture(view, this.#camera.magnification);
    drawMarks(
      this.#layers.above,
      projected && { ...projected, radius: style.diameter / 2 / projected.depth + 4 },
      this.#lassoLine,
    );
  }

  #applySize(): void {
    const { width, height, ratio } = this.#size;
    const { below, canvas, above } = this.#layers;
    const inSpace = this.#cloud.points.z !== undefined;
    const layout = layoutOf(width, height, inSpace);
    this.#layout = layout;
    this.#resized = false;
    for (const element of [canvas, above]) {
      const { style } = element;
      style.left = `${layout.left}px`;
      style.top = `${layout.top}px`;
      style.width = `${layout.innerWidth}px`;
      style.height = `${layout.innerHeight}px`;
    }
    // Groups of the other number of dimensions must be removed.
    if ((below.dataset.dimensions === '3') !== inSpace) below.replaceChildren();
    below.dataset.dimensions = inSpace ? '3' : '2';
    this.#renderer.painter.resize(Math.round(layout.innerWidth * ratio), Math.round(layout.innerHeight * ratio), ratio);
    this.#camera.resize(layout.innerWidth, layout.innerHeight);
    this.#renderer.invalidate('positions');
    this.#areLayersStale = true;
  }

  #animateReset(now: number): void {
    if (!this.#resetAnimation) return;
    const share = Math.min(1, Math.max(0, (now - this.#resetAnimation.start) / RESET_MILLISECONDS));
    const eased = 1 - (1 - share) ** 3;
    const { home } = this.#camera;
    this.#camera.state = share === 1 ? home : interpolate(this.#resetAnimation.from, home, eased);
    if (share === 1) this.#resetAnimation = undefined;
    this.#areLayersStale = true;
  }

  #findHovered(view: CameraView): void {
    this.#isHoverPending = false;
    const at = this.#hoverAt;
    const { hovered } = this.#props;
    hovered.value = at && nearestRow(view, this.#cloud.points, at.x, at.y, HOVER_RADIUS);
  }

  #listener(): Parameters<typeof listenForGestures>[1] {
    const moveCamera = (move: () => boolean | undefined): boolean => {
      this.#resetAnimation = undefined;
      const changed = move() ?? true;
      if (changed) this.#redraw();
      return changed;
    };
    const tool = (): 'move' | 'lasso' => this.#props.tool;
    return {
      get tool() {
        return tool();
      },
      drag: (dx, dy, shift) => moveCamera(() => void (shift ? this.#camera.pan(dx, dy) : this.#camera.drag(dx, dy))),
      pinch: (factor, { x, y }, dx, dy) =>
        moveCamera(() => {
          this.#camera.pan(dx, dy);
          this.#camera.zoom(factor, x, y);
          return true;
        }),
      zoom: (factor, at) => {
        const { innerWidth, innerHeight } = this.#layout;
        const { x, y } = at ?? { x: innerWidth / 2, y: innerHeight / 2 };
        return moveCamera(() => this.#camera.zoom(factor, x, y));
      },
      reset: () => this.resetView(),
      hover: (at) => {
        this.#hoverAt = at;
        this.#isHoverPending = true;
        this.#requestFrame();
      },
      click: (at, adds) => this.#click(at, adds),
      lasso: (line) => {
        this.#lassoLine = line;
        this.#requestFrame();
      },
      lassoed: (line, adds) => void this.#select(line, adds),
      clear: () => {
        this.#props.selected.value = undefined;
      },
    };
  }

  #click({ x, y }: PixelPosition, adds: boolean): void {
    const { selected } = this.#props;
    const row = nearestRow(this.#camera.view(), this.#cloud.points, x, y, HOVER_RADIUS);
    const before = (adds && selected.peek()) || new Uint32Array();
    if (row !== undefined) {
      // A second click with shift removes the row again.
      const rest = before.filter((other) => other !== row);
      const rows = rest.length < before.length ? rest : union(before, Uint32Array.of(row));
      selected.value = rows.length > 0 ? rows : undefined;
    } else if (!adds) selected.value = undefined;
  }

  async #select(line: readonly number[], adds: boolean): Promise<void> {
    this.#lassoSearch?.abort();
    const giveUp = new AbortController();
    this.#lassoSearch = giveUp;
    const rows = await runInSlices(rowsInside(this.#camera.view(), this.#cloud.points, line), giveUp.signal);
    if (this.#lassoSearch !== giveUp) return;
    this.#lassoLine = undefined;
    this.#requestFrame();
    if (!rows) return;
    const { selected } = this.#props;
    const before = adds ? selected.peek() : undefined;
    const all = before ? union(before, rows) : rows;
    selected.value = all.length > 0 ? all : undefined;
  }

  #noteUndrawnPoints(): void {
    const count = this.#cloud.points.x.length;
    const drawn = Math.min(count, this.#renderer.painter.maxPoints);
    const say = (value: number): string => value.toLocaleString('en');
    this.#layers.note.textContent =
      drawn < count ? `Drawn without WebGL: ${say(drawn)} of ${say(count)} points, evenly chosen.` : '';
  }
}
