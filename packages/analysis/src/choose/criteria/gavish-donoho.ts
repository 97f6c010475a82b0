import { type CriterionMethod, firstHave, short } from './criterion.js';

/**
 * The hard threshold for singular values (Gavish & Donoho 2014): of an n × d matrix with white noise, keeping the σ above
 * τ reconstructs the rest with the smallest mean squared error, for large n and d. With β = min(n, d)/max(n, d):
 *
 *   known noise s:  τ = λ*(β)·√max(n, d)·s,  λ*(β)² = 2(β + 1) + 8β/((β + 1) + √(β² + 14β + 1));
 *   unknown noise:  τ = λ*(β)/√μ(β)·median(σ),  μ(β) the median of the Marchenko–Pastur distribution.
 */
export const gavishDonoho: CriterionMethod = {
  name: 'gavish-donoho',
  title: { long: 'Gavish–Donoho threshold', short: 'Gavish–Donoho', sentence: "Gavish and Donoho's threshold" },
  importance: 4,
  guide: {
    keeps: 'whose singular values are worth keeping to reconstruct a low-rank table from white noise',
    appliesTo: 'also data that are not centred; `noise` gives the noise if it is known',
    source: 'Gavish & Donoho 2014',
  },
  // `values`: singular value of each component, and the threshold.
  needs: [],
  requires: ['unweighted'],
  compute: ({ n, d, spectrum, divisor, options }) => {
    const [small, large] = [Math.min(n, d), Math.max(n, d)];
    const values = Array.from({ length: small }, (_, i) => Math.sqrt((spectrum[i] ?? 0) * divisor));
    const beta = small / large;
    const noise = options.noise;
    const tau =
      noise === undefined
        ? (optimalFactor(beta) / Math.sqrt(marchenkoPasturMedian(beta))) * median(values)
        : optimalFactor(beta) * Math.sqrt(large) * noise;
    const k = values.filter((value) => value > tau).length;
    const estimated = noise === undefined ? ' whose size is estimated from the median singular value' : '';
    return {
      k,
      values,
      thresholds: values.map(() => tau),
      sentence: `${firstHave(k)} a singular value above ${short(tau)}, the best threshold for white noise${estimated}.`,
    };
  },
};

function optimalFactor(beta: number): number {
  return Math.sqrt(2 * (beta + 1) + (8 * beta) / (beta + 1 + Math.sqrt(beta * beta + 14 * beta + 1)));
}

function median(descending: readonly number[]): number {
  const half = descending.length / 2;
  return (descending[Math.ceil(half) - 1] + descending[Math.floor(half)]) / 2;
}

/**
 * The median of the Marchenko–Pastur distribution of ratio β ≤ 1, density √((b − t)(t − a))/(2πβt) on a = (1 − √β)², b = (1 + √β)².
 * With t = c − r·cos φ, c = 1 + β, r = 2√β, the integrand r²sin²φ/(2πβt) is smooth and periodic, so that the midpoint rule converges
 * fast; near β = 1 t reaches 0, and sin²φ cancels it.
 */
export function marchenkoPasturMedian(beta: number): number {
  const [c, r] = [1 + beta, 2 * Math.sqrt(beta)];
  const share = (to: number): number => {
    const steps = 2000;
    let sum = 0;
    for (let i = 0; i < steps; i++) {
      const phi = ((i + 0.5) / steps) * to;
      sum += (r * Math.sin(phi)) ** 2 / (c - r * Math.cos(phi));
    }
    return (sum * to) / steps / (2 * Math.PI * beta);
  };
  let [low, high] = [0, Math.PI];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (share(middle) < 0.5) low = middle;
    else high = middle;
  }
  return c - r * Math.cos(low);
}
