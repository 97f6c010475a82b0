import { type Arithmetic, arithmeticCode, UNIFORM_HEAD } from './arithmetic.js';

export const CHOLESKY_PARAMS = ['size', 'ldg', 'ldo', 'start', 'end', 'least'] as const;

/**
 * Writes L⁻¹, transposed, for LLᵀ = G with symmetric G (size × size), in two float32 parts. One workgroup eliminates columns `start` to
 * `end` per dispatch. G is overwritten.
 *
 * Rows and columns are scaled to diagonal 1 first. Then Gauss–Jordan elimination in place: after the elimination of column k, columns up to
 * k hold L⁻¹, and the columns after it hold the rest of G. A row that keeps less than the share `least` of its square depends on earlier
 * rows, and becomes zero.
 */
export function choleskyCode(arithmetic: Arithmetic, threads: number): string {
  const lines = threads / 32;
  const integers = CHOLESKY_PARAMS.slice(0, -1).map((name) => `${name}: u32`);
  return `
struct Params { ${UNIFORM_HEAD} ${integers.join(', ')}, least: f32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> gh: array<f32>;
@group(0) @binding(2) var<storage, read_write> gl: array<f32>;
// The column of L, then the scale of each row.
@group(0) @binding(3) var<storage, read_write> column: array<vec2f>;
@group(0) @binding(4) var<storage, read_write> oh: array<f32>;
@group(0) @binding(5) var<storage, read_write> ol: array<f32>;
${arithmeticCode(arithmetic)}
fn entry(i: u32, j: u32) -> Two1 { return Two1(gh[i * p.ldg + j], gl[i * p.ldg + j]); }
fn put(i: u32, j: u32, x: Two1) { gh[i * p.ldg + j] = x.h; gl[i * p.ldg + j] = x.l; }
fn getColumn(i: u32) -> Two1 { return Two1(column[i].x, column[i].y); }
// 1/√x by one step of Newton's method; 0 if x is not above the limit.
fn inverseRoot(x: Two1, limit: f32) -> Two1 {
  if (!(x.h > limit)) { return Two1(0.0, 0.0); }
  let y = inverseSqrt(x.h);
  let q = multiplyTwo1(x, multiplyTwo1(Two1(y, 0.0), Two1(y, 0.0)));
  let rest = addTwo1(Two1(1.0, 0.0), Two1(-q.h, -q.l));
  return quickSum1(y, y * (rest.h * 0.5));
}
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) t: u32) {
  let n = p.size;
  let tx = t % 32u;
  let ty = t / 32u;
  if (p.start == 0u) {
    for (var i = t; i < n; i += ${threads}u) { let r = inverseRoot(entry(i, i), 0.0); column[n + i] = vec2f(r.h, r.l); }
    storageBarrier();
    for (var i = ty; i < n; i += ${lines}u) {
      for (var j = tx; j <= i; j += 32u) { put(i, j, multiplyTwo1(entry(i, j), multiplyTwo1(getColumn(n + i), getColumn(n + j)))); }
    }
    storageBarrier();
  }
  for (var k = p.start; k < p.end; k++) {
    let r = inverseRoot(entry(k, k), p.least);
    storageBarrier();
    for (var i = k + 1u + t; i < n; i += ${threads}u) { let l = multiplyTwo1(entry(i, k), r); column[i] = vec2f(l.h, l.l); }
    for (var j = t; j < k; j += ${threads}u) { put(k, j, multiplyTwo1(entry(k, j), r)); }
    if (t == 0u) { put(k, k, r); }
    storageBarrier();
    for (var i = k + 1u + ty; i < n; i += ${lines}u) {
      let l = getColumn(i);
      for (var j = tx; j <= i; j += 32u) {
        var other = Two1(0.0, 0.0);
        if (j <= k) { other = entry(k, j); } else { other = getColumn(j); }
        var old = Two1(0.0, 0.0);
        if (j != k) { old = entry(i, j); }
        let product = multiplyTwo1(l, other);
        put(i, j, addTwo1(old, Two1(-product.h, -product.l)));
      }
    }
    storageBarrier();
  }
  if (p.end < n) { return; }
  for (var j = ty; j < p.ldo; j += ${lines}u) {
    for (var i = tx; i < p.ldo; i += 32u) {
      var x = Two1(0.0, 0.0);
      if (j <= i && i < n) { x = multiplyTwo1(entry(i, j), getColumn(n + j)); }
      oh[j * p.ldo + i] = x.h;
      ol[j * p.ldo + i] = x.l;
    }
  }
}`;
}

/** Random numbers between −½ and ½ (O'Neill 2014, PCG) in the first rows and columns, zeros elsewhere. */
export const NOISE_CODE = `
struct Params { ${UNIFORM_HEAD} rows: u32, cols: u32, ld: u32, seed: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> high: array<f32>;
@group(0) @binding(2) var<storage, read_write> low: array<f32>;
fn hash(at: u32) -> u32 {
  let state = at * 747796405u + 2891336453u;
  let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}
@compute @workgroup_size(64, 4)
fn main(@builtin(global_invocation_id) g: vec3u) {
  let at = g.y * p.ld + g.x;
  let number = f32(hash(at ^ hash(p.seed)) >> 8u) / 16777216.0 - 0.5;
  high[at] = select(0.0, number, g.x < p.cols && g.y < p.rows);
  low[at] = 0.0;
}`;

/** Copies the upper triangle of a matrix in two parts into the lower one. */
export const MIRROR_CODE = `
struct Params { ${UNIFORM_HEAD} ld: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> high: array<f32>;
@group(0) @binding(2) var<storage, read_write> low: array<f32>;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) g: vec3u) {
  if (g.x >= g.y || g.y >= p.ld) { return; }
  high[g.y * p.ld + g.x] = high[g.x * p.ld + g.y];
  low[g.y * p.ld + g.x] = low[g.x * p.ld + g.y];
}`;
