import { type Box, drawArrows } from './arrows.js';
import { type Bounds, boundsOf } from './bounds.js';
import { between, type Camera, isHome } from './camera.js';
import { CanvasPainter, wantsCard } from './canvas-painter.js';
import { Easel } from './renderer.js';
import { listen, type Place } from './gestures.js';
import { rowsInside, union } from './lasso.js';
import { type Layout, layoutOf } from './layout.js';
import { drawMarks } from './marks.js';
import { nearest } from './nearest.js';
import { OrbitCamera } from './orbit-camera.js';
import type { Cloud, Piece } from './painter.js';
import { paletteBytes } from './palette.js';
import { drawPlaneAxes } from './plane-axes.js';
import { PlaneCamera } from './plane-camera.js';
import { Renderer } from './webgl-painter.js';
import { type Size, watchSize } from './size.js';
import { inSlices } from './time-slices.js';
import { drawSpaceAxes } from './space-axes.js';
import type { PointCloudProps } from './types.js';
import { project, type View } from './view.js';

/** What is in the page: axes below the points, arrows and marks above, and a place for a word on what is not drawn. */
export interface Stage {
  readonly home: HTMLElement;
  readonly below: SVGSVGElement;
  readonly canvas: HTMLCanvasElement;
  readonly above: SVGSVGElement;
  readonly note: HTMLElement;
}

/** How near to a point the pointer must be, in pixels. */
const REACH = 12;
/** Milliseconds of the way back to the first view. */
const WAY_BACK = 220;

/** The picture: keeps what is to be seen, and draws it when it changed, with the next frame. */
export class Scene {
  readonly #stage: Stage;
  readonly #easel: Easel;
  readonly #stops: (() => void)[] = [];
  #props: PointCloudProps;
  #cloud: Cloud;
  #bounds: Bounds;
  #camera: Camera;
  #layout: Layout = layoutOf(1, 1, false);
  #size: Size = { width: 0, height: 0, ratio: 1 };
  /** Whether axes and arrows must be drawn; points know by themselves. */
  #stale = true;
  #resized = true;
  #hoverAt: Place | undefined;
  #hoverAsked = false;
  #line: readonly number[] | undefined;
  #lassoing: AbortController | undefined;
  #wayBack: { readonly from: readonly number[]; readonly start: number } | undefined;
  #request = 0;

  constructor(stage: Stage, props: PointCloudProps) {
    this.#stage = stage;
    this.#props = props;
    const restored = (): void => this.#redraw('places');
    const card = wantsCard(props) ? Renderer.on(stage.canvas, restored) : undefined;
    this.#easel = new Easel(card ?? new CanvasPainter(stage.canvas));
    this.#cloud = {
      points: props.points,
      colours: props.colours,
      palette: paletteBytes(props.palette),
      selected: props.selected.peek(),
    };
    this.#easel.painter.show(this.#cloud);
    this.#bounds = boundsOf(props.points, props.arrows);
    this.#camera = this.#newCamera();
    this.#tellWhatIsMissing();
    const resize = (size: Size): void => {
      this.#size = size;
      this.#resized = true;
      this.#ask();
    };
    this.#stops.push(listen(stage.canvas, this.#listener()), watchSize(stage.home, resize));
  }

  /** The picture as it is now, whole, for taking it away. */
  get picture(): { stage: Stage; cloud: Cloud; piece: Piece; layout: Layout; label: string } {
    const piece = this.#easel.whole(this.#camera.view(), this.#camera.magnification);
    return { stage: this.#stage, cloud: this.#cloud, piece, layout: this.#layout, label: this.#props.label };
  }

  update(props: PointCloudProps): void {
    const before = this.#props;
    this.#props = props;
    const { points, colours, palette } = props;
    const moved = points !== before.points;
    if (moved || colours !== before.colours || palette !== before.palette) {
      const bytes = palette === before.palette ? this.#cloud.palette : paletteBytes(palette);
      this.#show({ ...this.#cloud, points, colours, palette: bytes }, moved ? 'places' : 'colours');
    }
    if (moved) {
      this.#lassoing?.abort();
      this.#tellWhatIsMissing();
    }
    const reframed = props.equal !== before.equal || (props.arrows !== before.arrows && isHome(this.#camera));
    if (moved || reframed) {
      this.#wayBack = undefined;
      this.#bounds = boundsOf(points, props.arrows);
      this.#camera = this.#newCamera();
      this.#resized = true;
    }
    this.#redraw();
  }

  /** Follows the selection; the ring around the hovered point is a mark, points need not be drawn for it. */
  selectionChanged(selected: Uint32Array | undefined): void {
    if (selected !== this.#cloud.selected) this.#show({ ...this.#cloud, selected }, 'colours');
  }

  marksChanged(): void {
    this.#ask();
  }

  resetView(): void {
    if (isHome(this.#camera)) return;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (still) this.#camera.state = this.#camera.home;
    else this.#wayBack = { from: this.#camera.state, start: performance.now() };
    this.#redraw();
  }

  dispose(): void {
    cancelAnimationFrame(this.#request);
    this.#lassoing?.abort();
    for (const stop of this.#stops) stop();
    this.#easel.painter.dispose();
  }

  #newCamera(): Camera {
    const { points, equal = true } = this.#props;
    return points.z ? new OrbitCamera(this.#bounds, equal) : new PlaneCamera(this.#bounds, equal);
  }

  #show(cloud: Cloud, changed: 'colours' | 'places'): void {
    this.#cloud = cloud;
    this.#easel.painter.show(cloud);
    this.#redraw(changed);
  }

  #redraw(changed?: 'colours' | 'places'): void {
    if (changed) this.#easel.change(changed);
    this.#stale = true;
    this.#ask();
  }

  #ask(): void {
    this.#request ||= requestAnimationFrame((now) => {
      this.#request = 0;
      this.#frame(now);
    });
  }

  #frame(now: number): void {
    if (this.#size.width === 0) return;
    if (this.#resized) this.#applySize();
    this.#goBack(now);
    const view = this.#camera.view();
    const { magnification } = this.#camera;
    const more = this.#easel.frame(now, view, magnification, this.#cloud.points.z !== undefined);
    if (this.#stale) this.#drawLayers(view);
    this.#stale = false;
    if (this.#hoverAsked) this.#findHovered(view);
    this.#drawMarks(view);
    if (more || this.#wayBack) this.#ask();
  }

  #drawLayers(view: View): void {
    const { below, above } = this.#stage;
    const names = this.#props.axes.map(({ label }) => label);
    let taken: Box[] = [];
    if (this.#cloud.points.z) taken = drawSpaceAxes(below, view, this.#bounds, names);
    else drawPlaneAxes(below, this.#layout, view, names, this.#props.power);
    drawArrows(above, this.#layout, view, this.#props.arrows ?? [], taken);
  }

  #drawMarks(view: View): void {
    const row = this.#props.hovered.peek();
    const { x, y, z } = this.#cloud.points;
    const seen = row === undefined || row >= x.length ? undefined : project(view, x[row], y[row], z?.[row]);
    const { look } = this.#easel.whole(view, this.#camera.magnification);
    // For what tells about the point: it stands on the other side.
    this.#stage.home.dataset.hovered = seen && seen.x > view.width / 2 ? 'right' : 'left';
    drawMarks(this.#stage.above, seen && { ...seen, radius: look.diameter / 2 / seen.depth + 4 }, this.#line);
  }

  #applySize(): void {
    const { width, height, ratio } = this.#size;
    const { below, canvas, above } = this.#stage;
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
    // Groups of the other number of dimensions must go.
    if ((below.dataset.dimensions === '3') !== inSpace) below.replaceChildren();
    below.dataset.dimensions = inSpace ? '3' : '2';
    this.#easel.painter.resize(Math.round(layout.innerWidth * ratio), Math.round(layout.innerHeight * ratio), ratio);
    this.#camera.resize(layout.innerWidth, layout.innerHeight);
    this.#easel.change('places');
    this.#stale = true;
  }

  #goBack(now: number): void {
    if (!this.#wayBack) return;
    const share = Math.min(1, Math.max(0, (now - this.#wayBack.start) / WAY_BACK));
    const eased = 1 - (1 - share) ** 3;
    const { home } = this.#camera;
    this.#camera.state = share === 1 ? home : between(this.#wayBack.from, home, eased);
    if (share === 1) this.#wayBack = undefined;
    this.#stale = true;
  }

  #findHovered(view: View): void {
    this.#hoverAsked = false;
    const at = this.#hoverAt;
    const { hovered } = this.#props;
    hovered.value = at && nearest(view, this.#cloud.points, at.x, at.y, REACH);
  }

  #listener(): Parameters<typeof listen>[1] {
    const moveCamera = (move: () => boolean | undefined): boolean => {
      this.#wayBack = undefined;
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
        this.#hoverAsked = true;
        this.#ask();
      },
      click: (at, adds) => this.#click(at, adds),
      lasso: (line) => {
        this.#line = line;
        this.#ask();
      },
      lassoed: (line, adds) => void this.#select(line, adds),
      clear: () => {
        this.#props.selected.value = undefined;
      },
    };
  }

  #click({ x, y }: Place, adds: boolean): void {
    const { selected } = this.#props;
    const row = nearest(this.#camera.view(), this.#cloud.points, x, y, REACH);
    const before = (adds && selected.peek()) || new Uint32Array();
    if (row !== undefined) {
      // A second click with shift takes the row out again.
      const rest = before.filter((other) => other !== row);
      const rows = rest.length < before.length ? rest : union(before, Uint32Array.of(row));
      selected.value = rows.length > 0 ? rows : undefined;
    } else if (!adds) selected.value = undefined;
  }

  async #select(line: readonly number[], adds: boolean): Promise<void> {
    this.#lassoing?.abort();
    const giveUp = new AbortController();
    this.#lassoing = giveUp;
    const rows = await inSlices(rowsInside(this.#camera.view(), this.#cloud.points, line), giveUp.signal);
    if (this.#lassoing !== giveUp) return;
    this.#line = undefined;
    this.#ask();
    if (!rows) return;
    const { selected } = this.#props;
    const before = adds ? selected.peek() : undefined;
    const all = before ? union(before, rows) : rows;
    selected.value = all.length > 0 ? all : undefined;
  }

  #tellWhatIsMissing(): void {
    const count = this.#cloud.points.x.length;
    const drawn = Math.min(count, this.#easel.painter.most);
    const say = (value: number): string => value.toLocaleString('en');
    this.#stage.note.textContent =
      drawn < count ? `Drawn without WebGL: ${say(drawn)} of ${say(count)} points, evenly chosen.` : '';
  }
}
