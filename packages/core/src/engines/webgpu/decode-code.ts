import { type Arithmetic, arithmeticCode, UNIFORM_HEAD } from './arithmetic.js';

/** Bytes of each type of stored numbers. */
export const BYTES = {
  float64: 8,
  float32: 4,
  float16: 2,
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
} as const;
export type ElementType = keyof typeof BYTES;

/**
 * Entry (i, j) of B = W^½(X − 1sᵀ)F in two float32 parts, from the bits of the stored numbers. The code splits the bits with integer
 * operations, so that nothing is rounded before the shift is subtracted. A float64 becomes three float32 parts. Each part is multiplied by
 * the power of two of its column, which brings columns of any size into the range of float32.
 *
 * Each column has two vectors: the shift in three parts and the factor's high part, then the factor's low part and the power of two.
 */
const FRAME = `
fn power(q: i32) -> f32 { return select(bitcast<f32>(u32(clamp(q, -126, 60) + 127) << 23u), 0.0, q < -126); }
fn scaled(x: vec3f, j: u32) -> Two1 {
  let c0 = columns[2u * j];
  let c1 = columns[2u * j + 1u];
  let a = twoSum1(x.x, -c0.x);
  let b = twoSum1(x.y, -c0.y);
  let s1 = twoSum1(a.h, b.h);
  let s2 = twoSum1(s1.h, a.l);
  let s3 = twoSum1(s2.h, b.l);
  let s4 = twoSum1(s3.h, x.z - c0.z);
  let difference = twoSum1(s4.h, ((s1.l + s2.l) + s3.l) + s4.l);
  return multiplyTwo1(difference, Two1(c0.w, c1.x));
}
`;

/** Reads number `at` as an integer of up to 53 bits, in three parts, times a power of two. Sets `finite` to false if the number is not finite. */
const READ: Record<ElementType, string> = {
  float64: `let low = raw[2u * at]; let top = raw[2u * at + 1u];
  let e = (top >> 20u) & 0x7ffu;
  *finite = e != 0x7ffu;
  let sign = select(1.0, -1.0, (top >> 31u) == 1u) * select(0.0, 1.0, e != 0u);
  let m = (((top & 0xfffffu) | 0x100000u) << 3u) | (low >> 29u);
  let q = i32(e) - 1023 + shift;
  let one = sign * power(q);
  return vec3f(one * (f32(m) * 0x1p-23), one * (f32((low >> 5u) & 0xffffffu) * 0x1p-47), one * (f32(low & 31u) * 0x1p-52));`,
  float32: `let bits = raw[at];
  let e = (bits >> 23u) & 255u;
  *finite = e != 255u;
  let sign = select(1.0, -1.0, (bits >> 31u) == 1u);
  let m = (bits & 0x7fffffu) | select(0u, 0x800000u, e > 0u);
  return vec3f(sign * (f32(m) * 0x1p-23) * power(i32(max(e, 1u)) - 127 + shift), 0.0, 0.0);`,
  float16: `let bits = (raw[at >> 1u] >> (16u * (at & 1u))) & 0xffffu;
  let e = (bits >> 10u) & 31u;
  *finite = e != 31u;
  let sign = select(1.0, -1.0, (bits >> 15u) == 1u);
  let m = (bits & 1023u) | select(0u, 1024u, e > 0u);
  return vec3f(sign * f32(m) * power(i32(max(e, 1u)) - 25 + shift), 0.0, 0.0);`,
  uint8: 'return vec3f(f32((raw[at >> 2u] >> (8u * (at & 3u))) & 255u) * power(shift), 0.0, 0.0);',
  int8: 'return vec3f(f32(bitcast<i32>(raw[at >> 2u] << (24u - 8u * (at & 3u))) >> 24u) * power(shift), 0.0, 0.0);',
  uint16: 'return vec3f(f32((raw[at >> 1u] >> (16u * (at & 1u))) & 0xffffu) * power(shift), 0.0, 0.0);',
  int16: 'return vec3f(f32(bitcast<i32>(raw[at >> 1u] << (16u - 16u * (at & 1u))) >> 16u) * power(shift), 0.0, 0.0);',
  uint32: 'let v = raw[at]; return vec3f(f32(v & 0xffffff00u), f32(v & 255u), 0.0) * power(shift);',
  int32: `let v = bitcast<i32>(raw[at]);
  let size = select(raw[at], 0u - raw[at], v < 0);
  return vec3f(f32(size & 0xffffff00u), f32(size & 255u), 0.0) * select(power(shift), -power(shift), v < 0);`,
};

/**
 * The first row in the buffer, the number of rows and columns, the padded width of the output, whether rows have weights, and the first
 * strip of sums.
 */
export const DECODE_PARAMS = ['first', 'rows', 'cols', 'ld', 'weighted', 'strip'] as const;

const head = (type: ElementType, arithmetic: Arithmetic): string => `
struct Params { ${UNIFORM_HEAD} ${DECODE_PARAMS.map((name) => `${name}: u32`).join(', ')} }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> raw: array<u32>;
@group(0) @binding(2) var<storage, read> columns: array<vec4f>;
@group(0) @binding(3) var<storage, read> weights: array<vec2f>;
${arithmeticCode(arithmetic)}
${FRAME}
fn stored(at: u32, shift: i32, finite: ptr<function, bool>) -> vec3f { ${READ[type]} }
fn entry(i: u32, j: u32, finite: ptr<function, bool>) -> Two1 {
  let x = stored((p.first + i) * p.cols + j, i32(columns[2u * j + 1u].y), finite);
  return scaled(x, j);
}`;

/**
 * Returns a kernel that writes B, padded with zeros; with its low parts if `low` is true. Rows with a value that is not finite get a flag,
 * and zeros.
 */
export function decodeCode(type: ElementType, low: boolean, arithmetic: Arithmetic): string {
  return `${head(type, arithmetic)}
@group(0) @binding(4) var<storage, read_write> high: array<f32>;
@group(0) @binding(5) var<storage, read_write> flags: array<atomic<u32>>;
${low ? '@group(0) @binding(6) var<storage, read_write> low: array<f32>;' : ''}
@compute @workgroup_size(64, 4)
fn main(@builtin(global_invocation_id) g: vec3u) {
  var b = Two1(0.0, 0.0);
  if (g.x < p.cols && g.y < p.rows) {
    var finite = true;
    b = entry(g.y, g.x, &finite);
    if (p.weighted == 1u) { let w = weights[g.y]; b = multiplyTwo1(b, Two1(w.x, w.y)); }
    if (!finite) { b = Two1(0.0, 0.0); atomicStore(&flags[g.y], 1u); }
  }
  high[g.y * p.ld + g.x] = b.h;
  ${low ? 'low[g.y * p.ld + g.x] = b.l;' : ''}
}`;
}

/** Rows of a strip, and rows that a thread sums before it adds to its total. */
export const STRIP = 2048;
const SUBSUM = 32;
/** Columns per workgroup, and threads per column of a strip. */
export const SUM_COLUMNS = 32;
const SHARING = 8;

/**
 * Returns a kernel that sums strips of rows, column by column: Σw·t, Σw·t², and the least and largest t of rows with weight above 0. Each
 * is in two parts, so a strip has eight planes. A strip with a value that is not finite gets a flag.
 */
export function columnsCode(type: ElementType, arithmetic: Arithmetic): string {
  const planes = ['sums', 'squares', 'least', 'largest'];
  return `${head(type, arithmetic)}
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<storage, read_write> flags: array<atomic<u32>>;
${planes.map((name) => `var<workgroup> ${name}: array<vec2f, ${SUM_COLUMNS * SHARING}>;`).join(' ')}
fn less(x: Two1, y: Two1) -> bool { return x.h < y.h || (x.h == y.h && x.l < y.l); }
fn two(x: vec2f) -> Two1 { return Two1(x.x, x.y); }
@compute @workgroup_size(${SUM_COLUMNS}, ${SHARING})
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u) {
  let column = w.x * ${SUM_COLUMNS}u + l.x;
  var sum = Two1(0.0, 0.0);
  var square = Two1(0.0, 0.0);
  var low = Two1(3e38, 0.0);
  var high = Two1(-3e38, 0.0);
  let last = select(0u, min(p.rows, (w.y + 1u) * ${STRIP}u), column < p.cols);
  for (var start = w.y * ${STRIP}u + l.y * ${SUBSUM}u; start < last; start += ${SHARING * SUBSUM}u) {
    var part = Two1(0.0, 0.0);
    var partSquare = Two1(0.0, 0.0);
    for (var i = start; i < min(last, start + ${SUBSUM}u); i++) {
      var finite = true;
      let t = entry(i, column, &finite);
      if (!finite) { atomicStore(&flags[p.strip + w.y], 1u); continue; }
      var b = t;
      var bw = t;
      if (p.weighted == 1u) {
        let w = Two1(weights[i].x, weights[i].y);
        if (w.h == 0.0) { continue; }
        b = multiplyTwo1(t, w);
        bw = multiplyTwo1(b, w);
      }
      part = addTwo1(part, bw);
      partSquare = addTwo1(partSquare, multiplyTwo1(b, b));
      if (less(t, low)) { low = t; }
      if (less(high, t)) { high = t; }
    }
    sum = addTwo1(sum, part);
    square = addTwo1(square, partSquare);
  }
  let own = l.y * ${SUM_COLUMNS}u + l.x;
  sums[own] = vec2f(sum.h, sum.l);
  squares[own] = vec2f(square.h, square.l);
  least[own] = vec2f(low.h, low.l);
  largest[own] = vec2f(high.h, high.l);
  workgroupBarrier();
  if (l.y > 0u || column >= p.cols) { return; }
  for (var y = 1u; y < ${SHARING}u; y++) {
    let other = y * ${SUM_COLUMNS}u + l.x;
    sum = addTwo1(sum, two(sums[other]));
    square = addTwo1(square, two(squares[other]));
    if (less(two(least[other]), low)) { low = two(least[other]); }
    if (less(high, two(largest[other]))) { high = two(largest[other]); }
  }
  let at = (p.strip + w.y) * 8u * p.ld + column;
  out[at] = sum.h;
  out[at + p.ld] = sum.l;
  out[at + 2u * p.ld] = square.h;
  out[at + 3u * p.ld] = square.l;
  out[at + 4u * p.ld] = low.h;
  out[at + 5u * p.ld] = low.l;
  out[at + 6u * p.ld] = high.h;
  out[at + 7u * p.ld] = high.l;
}`;
}
