import { bytesInDrawOrder, drawIndexesOf, positionsInDrawOrder, sortByDepth } from './draw-order.js';
import type { DrawRange, PaintedCloud, Painter, Rectangle } from './painter.js';
import { MAX_COLOURS } from './palette.js';
import { FRAGMENT_SHADER, VERTEX_SHADER } from './shaders.js';
import type { CameraView } from './view.js';

type Gl = WebGL2RenderingContext;

const UNIFORMS = ['originHigh', 'originLow', 'matrix', 'diameter', 'alpha', 'depthFade'] as const;

/** Objects on the graphics card; they are lost with the context. */
interface Resources {
  readonly uniforms: Readonly<Record<(typeof UNIFORMS)[number], WebGLUniformLocation | null>>;
  readonly positions: WebGLBuffer;
  readonly colours: WebGLBuffer;
  readonly pending: RenderTarget;
  readonly finished: RenderTarget;
}

/** An off-screen buffer for a picture. */
interface RenderTarget {
  readonly frame: WebGLFramebuffer;
  readonly pixels: WebGLRenderbuffer;
}

/** Draws points with WebGL2: one draw call for all points, and one for the selected points. */
export class WebglPainter implements Painter {
  readonly maxPoints = Number.POSITIVE_INFINITY;
  readonly #canvas: HTMLCanvasElement;
  readonly #gl: Gl;
  readonly #restored: () => void;
  #resources: Resources | undefined;
  #cloud: PaintedCloud | undefined;
  #positions: Float32Array = new Float32Array();
  #selected: Uint32Array | undefined;
  #ratio = 1;
  /** Signalled when all ranges so far are drawn. */
  #fence: WebGLSync | null = null;

  /** Returns undefined if the browser has no WebGL2. `restored` is called after a lost context is restored: then everything must be drawn again. */
  static create(canvas: HTMLCanvasElement, restored: () => void): WebglPainter | undefined {
    const gl = canvas.getContext('webgl2', {
      antialias: false,
      depth: false,
      powerPreference: 'high-performance',
    });
    return gl ? new WebglPainter(canvas, gl, restored) : undefined;
  }

  private constructor(canvas: HTMLCanvasElement, gl: Gl, restored: () => void) {
    this.#canvas = canvas;
    this.#gl = gl;
    this.#restored = restored;
    if (!gl.isContextLost()) this.#resources = createResources(gl);
    canvas.addEventListener('webglcontextlost', this.#onLost);
    canvas.addEventListener('webglcontextrestored', this.#onRestored);
  }

  get count(): number {
    return this.#cloud?.points.x.length ?? 0;
  }

  get selectedCount(): number {
    return this.#selected?.length ?? 0;
  }

  get ready(): boolean {
    return this.#resources !== undefined;
  }

  get busy(): boolean {
    const gl = this.#gl;
    if (this.#fence && gl.getSyncParameter(this.#fence, gl.SYNC_STATUS) !== gl.UNSIGNALED) {
      gl.deleteSync(this.#fence);
      this.#fence = null;
    }
    return this.#fence !== null;
  }

  readonly #onLost = (event: Event): void => {
    // Without this the browser does not restore the context.
    event.preventDefault();
    this.#resources = undefined;
    this.#fence = null;
  };

  readonly #onRestored = (): void => {
    this.#resources = createResources(this.#gl);
    this.#resizeTargets();
    const cloud = this.#cloud;
    this.#cloud = undefined;
    if (cloud) this.show(cloud);
    this.#restored();
  };

  show(cloud: PaintedCloud): void {
    const before = this.#cloud;
    this.#cloud = cloud;
    const moved = cloud.points !== before?.points;
    if (moved) this.#positions = positionsInDrawOrder(cloud.points);
    if (moved || cloud.selected !== before?.selected) {
      this.#selected = cloud.selected && drawIndexesOf(cloud.selected, this.count);
    }
    if (!this.#resources) return;
    const gl = this.#gl;
    if (moved) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.#resources.positions);
      gl.bufferData(gl.ARRAY_BUFFER, this.#positions, gl.STATIC_DRAW);
      gl.vertexAttribPointer(0, cloud.points.z ? 3 : 2, gl.FLOAT, false, 0, 0);
    }
    if (moved || cloud.colours !== before?.colours) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.#resources.colours);
      gl.bufferData(gl.ARRAY_BUFFER, bytesInDrawOrder(cloud.colours, this.count), gl.STATIC_DRAW);
      gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_BYTE, 0, 0);
    }
    if (cloud.palette !== before?.palette) {
      const size = [MAX_COLOURS, 1] as const;
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, ...size, 0, gl.RGBA, gl.UNSIGNED_BYTE, cloud.palette);
    }
  }

  resize(width: number, height: number, ratio: number): void {
    this.#canvas.width = width;
    this.#canvas.height = height;
    this.#ratio = ratio;
    this.#resizeTargets();
  }

  /** Gives the off-screen buffers the size of the canvas. */
  #resizeTargets(): void {
    const gl = this.#gl;
    const { width, height } = this.#canvas;
    gl.viewport(0, 0, width, height);
    if (!this.#resources) return;
    for (const { frame, pixels } of [this.#resources.pending, this.#resources.finished]) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.bindRenderbuffer(gl.RENDERBUFFER, pixels);
      gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, pixels);
      gl.clear(gl.COLOR_BUFFER_BIT);
    }
  }

  paint({ view, style, from, to }: DrawRange): void {
    if (!this.#resources || !this.#cloud) return;
    const gl = this.#gl;
    const { uniforms, pending } = this.#resources;
    const { count } = this;
    const inSpace = this.#cloud.points.z !== undefined;
    gl.bindFramebuffer(gl.FRAMEBUFFER, pending.frame);
    if (from === 0) gl.clear(gl.COLOR_BUFFER_BIT);
    setView(gl, uniforms, view);
    gl.uniform1f(uniforms.depthFade, inSpace ? 1 : 0);
    if (from < count) {
      gl.uniform1f(uniforms.diameter, style.diameter * this.#ratio);
      gl.uniform1f(uniforms.alpha, this.#selected ? style.fadedAlpha : style.alpha);
      const end = Math.min(count, to);
      // In 3-D the points are sorted by depth, so a range always starts at 0.
      if (inSpace) this.#drawInOrder(sortByDepth(view, this.#positions, end));
      else gl.drawArrays(gl.POINTS, from, end - from);
    }
    if (to > count && this.#selected) {
      gl.uniform1f(uniforms.diameter, style.selectedDiameter * this.#ratio);
      gl.uniform1f(uniforms.alpha, style.selectedAlpha);
      const chosen = this.#selected.subarray(Math.max(0, from - count), to - count);
      this.#drawInOrder(inSpace ? sortByDepth(view, this.#positions, chosen) : chosen);
    }
    gl.deleteSync(this.#fence);
    this.#fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  }

  finish(): void {
    if (!this.#resources) return;
    const { pending, finished } = this.#resources;
    this.#resources = { ...this.#resources, pending: finished, finished: pending };
  }

  present(which: 'finished' | 'pending', over: Rectangle): void {
    if (!this.#resources) return;
    const gl = this.#gl;
    const { width, height } = this.#canvas;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.#resources[which].frame);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const x = visiblePart(over.x * this.#ratio, over.width * this.#ratio, width);
    // In WebGL, y points up.
    const y = visiblePart(height - (over.y + over.height) * this.#ratio, over.height * this.#ratio, height);
    const isUnscaled = x[2] - x[0] === x[3] - x[1] && y[2] - y[0] === y[3] - y[1];
    if (x[2] <= x[0] || y[2] <= y[0]) return;
    gl.blitFramebuffer(
      ...([x[1], y[1], x[3], y[3]] as const),
      ...([x[0], y[0], x[2], y[2]] as const),
      gl.COLOR_BUFFER_BIT,
      isUnscaled ? gl.NEAREST : gl.LINEAR,
    );
  }

  #drawInOrder(indexes: Uint32Array): void {
    const gl = this.#gl;
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indexes, gl.DYNAMIC_DRAW);
    gl.drawElements(gl.POINTS, indexes.length, gl.UNSIGNED_INT, 0);
  }

  dispose(): void {
    this.#canvas.removeEventListener('webglcontextlost', this.#onLost);
    this.#canvas.removeEventListener('webglcontextrestored', this.#onRestored);
    // A page may have only a few contexts: this one is released now, not when it is garbage collected.
    this.#gl.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

/**
 * In one dimension: a picture of `size` pixels is placed at `start` and scaled to `length`. Returns the part of the canvas that
 * it covers and the corresponding part of the picture, in whole pixels: canvas from, picture from, canvas to, picture to.
 */
function visiblePart(start: number, length: number, size: number): readonly [number, number, number, number] {
  const from = Math.max(0, Math.round(start));
  const to = Math.min(size, Math.round(start + length));
  const picture = (pixel: number): number => Math.round(((pixel - Math.round(start)) / length) * size);
  return [from, picture(from), to, picture(to)];
}

function setView(gl: Gl, uniforms: Resources['uniforms'], { origin, matrix }: CameraView): void {
  const high = origin.map(Math.fround);
  gl.uniform3fv(uniforms.originHigh, high);
  gl.uniform3fv(
    uniforms.originLow,
    origin.map((value, side) => value - high[side]),
  );
  gl.uniformMatrix3fv(uniforms.matrix, true, matrix);
}

/** Compiles the shaders and binds the buffers; there is one of each, so they stay bound. */
function createResources(gl: Gl): Resources {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX_SHADER],
    [gl.FRAGMENT_SHADER, FRAGMENT_SHADER],
  ] as const) {
    const shader = gl.createShader(type);
    // Null while the context is lost.
    if (!shader) continue;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`The shaders do not work here: ${gl.getProgramInfoLog(program)}`);
  }
  gl.useProgram(program);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  gl.enableVertexAttribArray(0);
  gl.enableVertexAttribArray(1);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  const uniforms = Object.fromEntries(
    UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)]),
  ) as Resources['uniforms'];
  const sheet = (): RenderTarget => ({ frame: gl.createFramebuffer(), pixels: gl.createRenderbuffer() });
  return { uniforms, positions: gl.createBuffer(), colours: gl.createBuffer(), pending: sheet(), finished: sheet() };
}
