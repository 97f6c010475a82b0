import type { Scaler } from '../../data/blocks/block.js';
import { UNIFORM_HEAD } from './arithmetic.js';
import type { Gpu } from './device.js';
import { GPU_TILE, TERMS_PER_STEP } from './matmul-code.js';
import type { ProductSums } from './matrices.js';
import type { PassBuffers, StoredRows } from './pass-buffers.js';

type OnSlice = () => void | Promise<void>;

const PARAMS = ['rowTile', 'first', 'terms', 'cols', 'ldc', 'rowsC', 'part', 'every', 'add'] as const;
const REDUCE_PARAMS = ['count', 'parts', 'width'] as const;
/** Shifts up to this size leave sums exact in float64. */
const LARGEST_SHIFT = 2 ** 16;

const head = (params: readonly string[]): string => `
struct Params { ${UNIFORM_HEAD} ${params.map((name) => `${name}: u32`).join(', ')} }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> c: array<vec2u>;
// 64-bit integers in two words.
fn sumOf(x: vec2u, y: vec2u) -> vec2u { let low = x.x + y.x; return vec2u(low, x.y + y.y + select(0u, 1u, low < x.x)); }`;

/**
 * XᵀX of rows of bytes in tiles of 64 × 64, upper triangle, four products at a time. The sums of a slab have 32 bits and those of all rows
 * 64 bits, so all are exact. The column after the last holds ones, so the result includes the sums of the columns and the number of rows.
 */
const integerCode = (signed: boolean): string => `${head(PARAMS)}
@group(0) @binding(2) var<storage, read> raw: array<u32>;
var<workgroup> ta: array<u32, ${(TERMS_PER_STEP / 4) * GPU_TILE}>;
var<workgroup> tb: array<u32, ${(TERMS_PER_STEP / 4) * GPU_TILE}>;
fn entry(row: u32, column: u32) -> u32 {
  if (row >= p.terms || column > p.cols || row % p.every != 0u) { return 0u; }
  if (column == p.cols) { return 1u; }
  let at = (p.first + row) * p.cols + column;
  return (raw[at >> 2u] >> (8u * (at & 3u))) & 255u;
}
fn four(row: u32, column: u32) -> u32 {
  return entry(row, column) | (entry(row + 1u, column) << 8u) | (entry(row + 2u, column) << 16u) | (entry(row + 3u, column) << 24u);
}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) t: u32) {
  let m0 = (w.y + p.rowTile) * ${GPU_TILE}u;
  let n0 = w.x * ${GPU_TILE}u;
  if (m0 > n0) { return; }
  let tx = t % 16u;
  let ty = t / 16u;
  var sums: array<vec4${signed ? 'i' : 'u'}, 4>;
  for (var k = w.z * p.part; k < min(p.terms, (w.z + 1u) * p.part); k += ${TERMS_PER_STEP}u) {
    ta[t] = four(k + 4u * (t / ${GPU_TILE}u), m0 + t % ${GPU_TILE}u);
    tb[t] = four(k + 4u * (t / ${GPU_TILE}u), n0 + t % ${GPU_TILE}u);
    workgroupBarrier();
    for (var step = 0u; step < ${TERMS_PER_STEP / 4}u; step++) {
      for (var i = 0u; i < 4u; i++) {
        let x = ta[step * ${GPU_TILE}u + ty * 4u + i];
        for (var j = 0u; j < 4u; j++) { sums[i][j] += dot4${signed ? 'I' : 'U'}8Packed(x, tb[step * ${GPU_TILE}u + tx * 4u + j]); }
      }
    }
    workgroupBarrier();
  }
  for (var i = 0u; i < 4u; i++) {
    for (var j = 0u; j < 4u; j++) {
      let at = (w.z * p.rowsC + m0 + ty * 4u + i) * p.ldc + n0 + tx * 4u + j;
      let sum = ${signed ? 'vec2u(bitcast<u32>(sums[i][j]), bitcast<u32>(sums[i][j] >> 31u))' : 'vec2u(sums[i][j], 0u)'};
      if (p.add == 1u) { c[at] = sumOf(c[at], sum); } else { c[at] = sum; }
    }
  }
}`;

const REDUCE_CODE = `${head(REDUCE_PARAMS)}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) g: vec3u) {
  let at = g.y * p.width + g.x;
  if (g.x >= p.width || at >= p.count) { return; }
  for (var i = 1u; i < p.parts; i++) { c[at] = sumOf(c[at], c[i * p.count + at]); }
}`;

/**
 * S = BᵀB of rows of bytes without weights, by exact integer products, with the interface of `GramPanel`. `every` selects every n-th row of
 * a slab.
 */
export class IntegerPanel {
  readonly #gpu: Gpu;
  readonly #stored: StoredRows;
  readonly #scaler: Scaler;
  readonly #sums: ProductSums;
  readonly #every: number;
  #add = false;

  private constructor(stored: StoredRows, scaler: Scaler, sums: ProductSums, every: number) {
    this.#gpu = stored.gpu;
    this.#stored = stored;
    this.#scaler = scaler;
    this.#sums = sums;
    this.#every = every;
  }

  /** Returns true if the rows are unweighted bytes and the device has byte products. */
  static suits({ gpu, resident }: StoredRows, { shift, rootWeights }: Scaler): boolean {
    return (
      (resident.type === 'uint8' || resident.type === 'int8') &&
      rootWeights === undefined &&
      gpu.packedProducts &&
      shift.every((size) => Math.abs(size) <= LARGEST_SHIFT)
    );
  }

  static async make(
    use: PassBuffers,
    stored: StoredRows,
    scaler: Scaler,
    slab: number,
    every = 1,
  ): Promise<IntegerPanel> {
    return new IntegerPanel(stored, scaler, await use.sums(stored.cols + 1, stored.cols + 1, slab), every);
  }

  async add(first: number, count: number, onSlice: OnSlice): Promise<void> {
    const [gpu, sums] = [this.#gpu, this.#sums];
    const { resident, cols } = this.#stored;
    const { buffer, first: at } = await resident.rows(first, onSlice);
    const signed = resident.type === 'int8';
    const pipeline = gpu.pipeline(`integer gram ${resident.type}`, () => integerCode(signed));
    const across = sums.ld / GPU_TILE;
    const perLine = (2 * GPU_TILE * sums.ld * count) / 4;
    for (let rowTile = 0, lines = 1; rowTile < across; rowTile += lines) {
      lines = Math.min(across - rowTile, Math.max(1, Math.floor(gpu.slice / perLine)));
      const given: Record<(typeof PARAMS)[number], number> = {
        rowTile,
        first: at,
        terms: count,
        cols,
        ldc: sums.ld,
        rowsC: sums.rows,
        part: sums.part,
        every: this.#every,
        add: this.#add ? 1 : 0,
      };
      const params = PARAMS.map((key) => given[key]);
      gpu.dispatch(pipeline, params, [sums.c, buffer], [across, lines, sums.parts]);
      await gpu.step(perLine * lines, onSlice);
    }
    this.#add = true;
  }

  /** Writes the sums into the upper triangle of `scatter`. */
  async read(scatter: Float64Array): Promise<void> {
    const [gpu, d] = [this.#gpu, this.#stored.cols];
    const { c, rows, ld, parts } = this.#sums;
    const count = rows * ld;
    const width = Math.min(count, 2 ** 20);
    const pipeline = gpu.pipeline('integer reduce', () => REDUCE_CODE);
    gpu.dispatch(pipeline, [count, parts, width], [c], [Math.ceil(width / 256), Math.ceil(count / width)]);
    const row = new Float64Array(d + 1);
    const columns = new Float64Array(d + 1);
    await gpu.read(
      [c],
      2 * (d + 1) * ld,
      ([piece], start) => {
        const words = new Int32Array(piece.buffer, piece.byteOffset, piece.length);
        for (let at = 0; at < words.length; at += 2 * ld) {
          const i = (start + at) / (2 * ld);
          joinWords(words, at, row, i);
          columns[i] = row[d];
          if (i < d) scatter.set(row.subarray(i, d), i * d + i);
        }
      },
      2 * ld,
    );
    const { shift, factor } = this.#scaler;
    const whole = shift.map(Math.round);
    const rest = shift.map((size, j) => size - whole[j]);
    const n = columns[d];
    // The sums of the columns minus whole numbers are exact.
    const less = rest.map((_, j) => columns[j] - n * whole[j]);
    for (let i = 0; i < d; i++)
      moveRow(scatter.subarray(i * d, (i + 1) * d), i, { n, columns, whole, rest, less, factor });
  }
}

/** Converts 64-bit integers of a row to float64, from index `first` on. */
function joinWords(words: Int32Array, at: number, into: Float64Array, first: number): void {
  for (let j = first; j < into.length; j++) into[j] = words[at + 2 * j + 1] * 2 ** 32 + (words[at + 2 * j] >>> 0);
}

/** s = whole + rest, Σx = columns, Σ(x − whole) = less, and f = factor. n is the number of rows. */
interface Move {
  readonly n: number;
  readonly columns: Float64Array;
  readonly whole: Float64Array;
  readonly rest: Float64Array;
  readonly less: Float64Array;
  readonly factor: Float64Array;
}

/** Σxᵢxⱼ becomes Σ(xᵢ − sᵢ)(xⱼ − sⱼ)·fᵢfⱼ for j ≥ i. With s = z + δ and whole z, Σ(xᵢ − zᵢ)(xⱼ − zⱼ) is exact, and the terms with δ are small. */
function moveRow(row: Float64Array, i: number, { n, columns, whole, rest, less, factor }: Move): void {
  for (let j = i; j < row.length; j++) {
    const exact = row[j] - whole[i] * columns[j] - whole[j] * less[i];
    row[j] = (exact - rest[i] * less[j] - rest[j] * less[i] + n * rest[i] * rest[j]) * factor[i] * factor[j];
  }
}
