import { WIDEST_SCATTER } from '../base/limits.js';
import { OptionError } from '../errors.js';
import { MomentSums } from '../fit/moment-sums.js';
import { dot } from '../linalg/vector.js';
import type { ConditionalMeans } from '../model/conditional.js';
import { fixedPoint, type MapStep } from './accelerate.js';
import type { Predictor } from './gappy-block.js';
import { GappyRows } from './gappy-rows.js';
import type { FillMethod, FillProblem } from './method.js';
import { observedScaling } from './observed-values.js';
import { predictorOf, type Spectrum, varianceLeft } from './predictor.js';

/**
 * Maximum likelihood of probabilistic PCA from the observed values (Tipping & Bishop 1999; Ilin & Raiko 2010). The missing values are the
 * latent data of EM, and the scores are integrated out:
 *
 *   E: b̂_m = E[b_m | b_o] and Σ_m = Cov[b_m | b_o] for every row with gaps, and S̄ = Σ(b̂ − mean)(b̂ − mean)ᵀ + ΣΣ_m.
 *   M: the eigenpairs of S̄/n give W = V(Λ − σ²)^½, and σ² is the mean of the other eigenvalues.
 *
 * So a table without gaps needs one iteration. The likelihood of the observed values never falls. Its units must not change, so columns are
 * divided by the scales of their observed values throughout. Cost per iteration: a scatter, and m²k + k³ per row that misses m values.
 * Needs a d × d matrix.
 */
export const em: FillMethod = {
  title: 'EM of probabilistic PCA',
  async run(problem) {
    const { source, observed, k, tolerance, iterations, engine, progress, fit } = problem;
    refuseWide(source.cols);
    const { scale, rule } = observedScaling(observed, problem.settings);
    const settings = { ...problem.settings, scale, scaling: rule, columnWeights: undefined, weights: undefined };
    const rows = new GappyRows(source, observed.means, engine, progress);
    const noiseOf = (spectrum: Spectrum): number => varianceLeft(spectrum) / (spectrum.d - k);
    const start = predictorOf(await fit(rows.source, { ...settings, weights: problem.settings.weights }), k, noiseOf);
    let last: { readonly predictor: Predictor; readonly moments: MomentSums } | undefined;
    const map = async (predictor: Predictor): Promise<MapStep> => {
      const expected = await expectedMoments(rows, predictor, problem);
      last = { predictor, moments: expected.moments };
      const next = predictorOf(await fit(expected.moments, settings), k, noiseOf);
      return { next, objective: logLikelihood(predictor, expected, problem) };
    };
    const { predictor, ...found } = await fixedPoint(start, map, { tolerance, iterations });
    const { moments } = last?.predictor === predictor ? last : await expectedMoments(rows, predictor, problem);
    return { source: rows.source, moments, settings, complete: (block) => rows.complete(block), predictor, ...found };
  },
};

function refuseWide(d: number): void {
  if (d <= WIDEST_SCATTER) return;
  throw new OptionError(
    'TOO_LARGE',
    `missing: 'em' keeps a ${d} × ${d} matrix; the most is ${WIDEST_SCATTER} columns. Use missing: 'iterative', which needs none.`,
    { option: 'missing', value: d, expected: WIDEST_SCATTER },
  );
}

/** S̄, and what the likelihood needs of the rows with gaps. */
interface Expected {
  readonly moments: MomentSums;
  /** Σw(log|M_o| − log|M|): what rows with gaps differ by in the determinants. */
  readonly determinants: number;
  /** Σw·m: the weight of the missing values. */
  readonly missing: number;
}

/** The E step: the scatter of the completed rows, with the conditional covariance of the missing values added. */
async function expectedMoments(rows: GappyRows, predictor: Predictor, problem: FillProblem): Promise<Expected> {
  const { settings, weights, names, engine, progress } = problem;
  const { means, scale } = predictor;
  const { d } = means;
  const sums = { covariance: new Float64Array(d * d), determinants: 0, missing: 0 };
  const whole = wholeDeterminant(means);
  const vectors = new Float64Array(d * means.k);
  await rows.fill(predictor, (row, missing) => {
    const w = weights.slice(row, 1)?.[0] ?? 1;
    if (w === 0) return;
    sums.determinants += w * (means.logDeterminant - whole);
    sums.missing += w * missing.length;
    addCovariance(sums.covariance, missing, means, w, vectors);
  });
  const { threads } = settings;
  const moments = await MomentSums.of(rows.source, { weights: settings.weights, engine, threads }, progress, names);
  const { unit, spread } = moments.columns;
  const factor = scale.map((s, j) => s / unit[j]);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) moments.scatter[i * d + j] += sums.covariance[i * d + j] * factor[i] * factor[j];
    spread[i] = moments.scatter[i * d + i];
  }
  return { moments, determinants: sums.determinants, missing: sums.missing };
}

/** out += w·σ²(I + W_m M⁻¹W_mᵀ), upper triangle. `h` is memory for L⁻¹W_mᵀ. */
function addCovariance(
  out: Float64Array,
  missing: Int32Array,
  means: ConditionalMeans,
  w: number,
  h: Float64Array,
): void {
  const { k, d, loadings, noise } = means;
  const m = missing.length;
  for (let g = 0; g < m; g++) {
    for (let c = 0; c < k; c++) h[g * k + c] = loadings[missing[g] * k + c];
    means.whiten(h, g * k);
  }
  const times = w * noise;
  for (let a = 0; a < m; a++) {
    const row = missing[a] * d;
    out[row + missing[a]] += times;
    for (let b = a; b < m; b++) out[row + missing[b]] += times * dot(h, a * k, h, b * k, k);
  }
}

/** log|M| of a row without gaps. */
function wholeDeterminant(means: ConditionalMeans): number {
  means.solve(new Float64Array(means.d), 0, []);
  return means.logDeterminant;
}

/**
 * log-likelihood of the observed scaled values at the predictor of the E step: E log p(b) over the missing values, plus their entropy.
 * With |C| = σ^{2(d−k)}|M| and |Σ_m| = σ^{2m}|M|/|M_o|, it needs only S̄ and the determinants of M_o.
 */
function logLikelihood(
  { mean, scale, means }: Predictor,
  { moments, determinants, missing }: Expected,
  { settings }: FillProblem,
): number {
  const { d, k, loadings, noise } = means;
  const { scatter, weight, columns } = moments;
  const factor = scale.map((s, j) => columns.unit[j] / s);
  const shift = mean.map((m, j) => (settings.center ? moments.mean[j] - m : 0) / scale[j]);
  const product = new Float64Array(k * d);
  let trace = 0;
  // S̄ about the mean of the predictor, and WᵀS̄.
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const s = scatter[i * d + j] * factor[i] * factor[j] + weight * shift[i] * shift[j];
      if (i === j) trace += s;
      for (let c = 0; c < k; c++) {
        product[c * d + i] += s * loadings[j * k + c];
        if (i !== j) product[c * d + j] += s * loadings[i * k + c];
      }
    }
  }
  const whole = wholeDeterminant(means);
  // tr(M⁻¹WᵀS̄W) = Σ‖…‖, column by column: L⁻¹(WᵀS̄W)L⁻ᵀ has this trace.
  const inner = new Float64Array(k * k);
  for (let a = 0; a < k; a++) {
    for (let j = 0; j < d; j++)
      for (let c = 0; c < k; c++) inner[a * k + c] += product[a * d + j] * loadings[j * k + c];
  }
  for (let a = 0; a < k; a++) means.whiten(inner, a * k);
  const turned = new Float64Array(k * k);
  for (let a = 0; a < k; a++) for (let c = 0; c < k; c++) turned[c * k + a] = inner[a * k + c];
  let explained = 0;
  for (let c = 0; c < k; c++) {
    means.whiten(turned, c * k);
    explained += turned[c * k + c];
  }
  const quadratic = (trace - explained) / noise;
  const logDeterminant = (d - k) * Math.log(noise) + whole;
  const entropy = missing * (Math.log(2 * Math.PI) + 1 + Math.log(noise)) - determinants;
  return -0.5 * (weight * (d * Math.log(2 * Math.PI) + logDeterminant) + quadratic) + 0.5 * entropy;
}
