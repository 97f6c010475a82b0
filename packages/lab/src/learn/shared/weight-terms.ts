/** The losses of weights W (k × d) and their gradients, over data of which only C = Σxxᵀ/n (d × d) matters. */

export interface Term {
  readonly loss: number;
  /** ∂loss/∂W (k × d). */
  readonly gradient: Float64Array;
}

/** AB for A (n × m) and B (m × p). */
export function product(a: Float64Array, b: Float64Array, n: number, m: number, p: number): Float64Array {
  const out = new Float64Array(n * p);
  for (let i = 0; i < n; i++) {
    for (let l = 0; l < m; l++) for (let j = 0; j < p; j++) out[i * p + j] += a[i * m + l] * b[l * p + j];
  }
  return out;
}

/** Aᵀ of so many rows. */
export function transposed(a: Float64Array, rows: number): Float64Array {
  const cols = a.length / rows;
  const out = new Float64Array(a.length);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) out[j * rows + i] = a[i * cols + j];
  return out;
}

/** ABᵀ for A (n × m) and B (p × m). */
export function productTransposed(a: Float64Array, b: Float64Array, n: number, m: number, p: number): Float64Array {
  const out = new Float64Array(n * p);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < p; j++) for (let l = 0; l < m; l++) out[i * p + j] += a[i * m + l] * b[j * m + l];
  }
  return out;
}

/** Mean ‖x − WᵀWx‖² = tr C − 2·tr M + tr(MP) with N = WC, M = NWᵀ, P = WWᵀ; its gradient is 2[ MW − N + PN − N ]. */
export function reconstructionTerm(w: Float64Array, c: Float64Array, k: number, d: number): Term {
  const n = product(w, c, k, d, d);
  const m = productTransposed(n, w, k, d, k);
  const p = productTransposed(w, w, k, d, k);
  let loss = 0;
  for (let j = 0; j < d; j++) loss += c[j * d + j];
  for (let a = 0; a < k; a++) {
    loss -= 2 * m[a * k + a];
    for (let b = 0; b < k; b++) loss += m[a * k + b] * p[b * k + a];
  }
  const [mw, pn] = [product(m, w, k, k, d), product(p, n, k, k, d)];
  return { loss, gradient: mw.map((value, at) => 2 * (value - 2 * n[at] + pn[at])) };
}

/** ‖I − WWᵀ‖² and −4(W − WWᵀW). */
export function orthogonalityTerm(w: Float64Array, k: number, d: number): Term {
  const p = productTransposed(w, w, k, d, k);
  const back = product(p, w, k, k, d);
  const loss = p.reduce((sum, value, at) => sum + (value - (at % (k + 1) === 0 ? 1 : 0)) ** 2, 0);
  return { loss, gradient: w.map((value, at) => -4 * (value - back[at])) };
}

/** max |WWᵀ − I|. */
export function defectOf(w: Float64Array, k: number, d: number): number {
  return offIdentity(productTransposed(w, w, k, d, k), k, 1);
}

/** max |A − c·I|. */
export function offIdentity(a: Float64Array, size: number, c: number): number {
  return a.reduce((most, value, at) => Math.max(most, Math.abs(value - (at % (size + 1) === 0 ? c : 0))), 0);
}

/** The largest absolute entry. */
export function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
