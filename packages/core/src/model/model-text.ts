import type { ModelRecord } from './record.js';

/** Components whose shares are printed one by one. */
const SHARES = 5;

/** `PCA of 4 × 2: 2 components, 98.5 % + 1.5 % of the variance; svd on wasm; no warnings`. Warnings follow, one per line. */
export function modelText({ n, components, varianceRatios, plan, warnings }: ModelRecord): string {
  const { rows: k, cols: d } = components;
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const shares = Array.from(varianceRatios.subarray(0, SHARES), percent).join(' + ');
  const rest = k > SHARES ? ` + … = ${percent(varianceRatios.reduce((sum, ratio) => sum + ratio, 0))}` : '';
  const told = warnings.length === 0 ? 'no warnings' : `${warnings.length} warning${warnings.length === 1 ? '' : 's'}:`;
  const what = `${k} component${k === 1 ? '' : 's'}, ${shares}${rest} of the variance`;
  return [
    `PCA of ${n} × ${d}: ${what}; ${plan.solver} on ${plan.engine}; ${told}`,
    ...warnings.map(({ code, message }) => `  ${code}: ${message}`),
  ].join('\n');
}
