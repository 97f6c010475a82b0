import { type Arithmetic, arithmeticCode, UNIFORM_HEAD } from './arithmetic.js';

/**
 * A product of two matrices: C = AᵀB ('columns': sums over the rows of both) or C = ABᵀ ('rows': sums over the columns of both). Tiles are
 * 64 × 64, or 64 × 16 if `narrow` is true. A workgroup of 256 threads computes one tile of one part of the sum. A thread computes 4 × 4 or
 * 4 × 1 entries.
 *
 * 'float32': products of the high parts are summed in float32 over `FLOAT32_TERMS` terms, and these sums are added in two parts. 'two': all
 * products and sums have two parts. Sums over 16 terms accumulate their errors separately (Ogita, Rump & Oishi 2005), and are added in two
 * parts.
 *
 * All matrices are padded with zeros to multiples of 64 in both directions.
 */
export interface MatmulKind {
  readonly over: 'columns' | 'rows';
  readonly precision: 'float32' | 'two';
  readonly narrow: boolean;
}

/** Number of terms that are summed in float32. */
export const FLOAT32_TERMS = 64;
/** Number of terms that the threads of a workgroup read together. */
export const TERMS_PER_STEP = 16;
/** Rows and columns of a tile; columns of a narrow one. */
export const GPU_TILE = 64;
export const NARROW_TILE = 16;

export const MATMUL_PARAMS = [
  'rowTile',
  'columnTile',
  'skip',
  'terms',
  'lda',
  'ldb',
  'ldc',
  'rowsC',
  'part',
  'upper',
  'add',
] as const;

export function matmulCode({ over, precision, narrow }: MatmulKind, arithmetic: Arithmetic): string {
  const two = precision === 'two';
  const width = narrow ? NARROW_TILE : GPU_TILE;
  const type = narrow ? 'f32' : 'vec4f';
  const s = narrow ? '1' : '4';
  // If a tile is transposed into workgroup memory, its lines are one number longer, if 16 KB are enough for that.
  const [strideA, strideB] = over === 'rows' && !two ? [GPU_TILE + 1, width + 1] : [GPU_TILE, width];
  const parts = two ? ['h', 'l'] : ['h'];
  const read = (matrix: 'a' | 'b', lines: number, stride: number): string => {
    const [first, ld] = matrix === 'a' ? ['m0', 'p.lda'] : ['n0', 'p.ldb'];
    const [step, line, source] =
      over === 'columns'
        ? [`at / ${lines}u`, `at % ${lines}u`, `(k + step) * ${ld} + ${first} + line`]
        : [`at % ${TERMS_PER_STEP}u`, `at / ${TERMS_PER_STEP}u`, `(${first} + line) * ${ld} + k + step`];
    const copies = parts.map((part) => `t${matrix}${part}[step * ${stride}u + line] = ${matrix}${part}[source];`);
    return `for (var at = t; at < ${lines * TERMS_PER_STEP}u; at += 256u) {
      let step = ${step};
      let line = ${line};
      let source = ${source};
      ${copies.join('\n')}
    }`;
  };
  const readB = (part: string): string =>
    narrow
      ? `tb${part}[step * ${strideB}u + tx]`
      : `vec4f(${[0, 1, 2, 3].map((i) => `tb${part}[step * ${strideB}u + tx * 4u + ${i}u]`).join(', ')})`;
  const entryA = (part: string): string => `${type}(ta${part}[step * ${strideA}u + ty * 4u + i])`;
  const multiply = two
    ? `let y = ${readB('h')};
       let z = ${readB('l')};
       for (var i = 0u; i < 4u; i++) {
         let x = ${entryA('h')};
         let q = opaque${s}(x * y);
         let e = productError${s}(x, y, q) + (x * z + ${entryA('l')} * y);
         let sum = twoSum${s}(high[i], q);
         high[i] = sum.h;
         low[i] += sum.l + e;
       }`
    : `let y = ${readB('h')};
       for (var i = 0u; i < 4u; i++) { high[i] = fma(${entryA('h')}, y, high[i]); }`;
  const fold = `for (var i = 0u; i < 4u; i++) {
      total[i] = addTwo${s}(total[i], ${two ? `quickSum${s}(high[i], low[i])` : `Two${s}(high[i], ${type}())`});
      high[i] = ${type}();
      ${two ? `low[i] = ${type}();` : ''}
    }`;
  const lanes = narrow ? 1 : 4;
  const lane = (name: string): string => (narrow ? `total[i].${name}` : `total[i].${name}[j]`);
  return `
struct Params { ${UNIFORM_HEAD} ${MATMUL_PARAMS.map((name) => `${name}: u32`).join(', ')} }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> c: array<vec2f>;
@group(0) @binding(2) var<storage, read> ah: array<f32>;
@group(0) @binding(3) var<storage, read> bh: array<f32>;
${two ? '@group(0) @binding(4) var<storage, read> al: array<f32>;\n@group(0) @binding(5) var<storage, read> bl: array<f32>;' : ''}
${arithmeticCode(arithmetic)}
${parts.map((part) => `var<workgroup> ta${part}: array<f32, ${TERMS_PER_STEP * strideA}>; var<workgroup> tb${part}: array<f32, ${TERMS_PER_STEP * strideB}>;`).join('\n')}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) t: u32) {
  let m0 = (w.y + p.rowTile) * ${GPU_TILE}u;
  let n0 = (w.x + p.columnTile + p.skip) * ${width}u;
  if (p.upper == 1u && m0 > n0 + ${width - 1}u) { return; }
  let tx = t % 16u;
  let ty = t / 16u;
  let begin = w.z * p.part;
  let end = min(p.terms, begin + p.part);
  var total: array<Two${s}, 4>;
  var high: array<${type}, 4>;
  ${two ? `var low: array<${type}, 4>;` : ''}
  for (var k = begin; k < end; k += ${TERMS_PER_STEP}u) {
    ${read('a', GPU_TILE, strideA)}
    ${read('b', width, strideB)}
    workgroupBarrier();
    for (var step = 0u; step < ${TERMS_PER_STEP}u; step++) { ${multiply} }
    ${two ? fold : `if ((k - begin) % ${FLOAT32_TERMS}u == ${FLOAT32_TERMS - TERMS_PER_STEP}u) { ${fold} }`}
    workgroupBarrier();
  }
  ${two ? '' : fold}
  for (var i = 0u; i < 4u; i++) {
    let first = (w.z * p.rowsC + m0 + ty * 4u + i) * p.ldc + (n0 - p.columnTile * ${width}u) + tx * ${lanes}u;
    for (var j = 0u; j < ${lanes}u; j++) {
      var out = Two1(${lane('h')}, ${lane('l')});
      if (p.add == 1u) { let old = c[first + j]; out = addTwo1(Two1(old.x, old.y), out); }
      c[first + j] = vec2f(out.h, out.l);
    }
  }
}`;
}

export const REDUCE_PARAMS = ['count', 'parts', 'width'] as const;

/** Returns a kernel that adds the parts of the sums in order, and separates high and low parts. */
export function reduceCode(arithmetic: Arithmetic): string {
  return `
struct Params { ${UNIFORM_HEAD} ${REDUCE_PARAMS.map((name) => `${name}: u32`).join(', ')} }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> c: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> high: array<f32>;
@group(0) @binding(3) var<storage, read_write> low: array<f32>;
${arithmeticCode(arithmetic)}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) g: vec3u) {
  let at = g.y * p.width + g.x;
  if (g.x >= p.width || at >= p.count) { return; }
  var sum = Two1(0.0, 0.0);
  for (var i = 0u; i < p.parts; i++) { let x = c[i * p.count + at]; sum = addTwo1(sum, Two1(x.x, x.y)); }
  high[at] = sum.h;
  low[at] = sum.l;
}`;
}
