import * as Plot from '@observablehq/plot';
import { type Matrix, pca } from 'scree';
import { digits } from './data.js';
import type { Draw } from './figure.js';
import {
  BLUE,
  DARK_ORANGE,
  FAINT,
  GREEN,
  HEADLINE,
  ORANGE,
  plot,
  powerOfTen,
  powersOfTen,
  sheet,
  text,
  WIDTH,
} from './svg.js';

const HEIGHT = 360;
const IMAGES = 100;
const SOLVERS = [
  { solver: 'covariance', colour: BLUE, symbol: 'circle', r: 5.5 },
  { solver: 'dual', colour: ORANGE, symbol: 'times', r: 3.5 },
  { solver: 'svd', colour: GREEN, symbol: 'circle', r: 2.5 },
] as const;

/** The large matrix and the small one have the same eigenvalues; squaring the data loses half of the digits. */
export const drawDual: Draw = async () => {
  const { images } = await digits(IMAGES);
  const large = await pca(images, { k: 'all', solver: 'covariance' });
  const small = await pca(images, { k: 'all', solver: 'dual' });
  const pairs = Array.from(large.variances, (variance, j) => ({
    component: j + 1,
    large: variance,
    small: small.variances[j],
  }));
  const apart = Math.max(...pairs.map((pair) => Math.abs(pair.large - pair.small) / pairs[0].large));

  const truth = Array.from({ length: 29 }, (_, j) => 10 ** -j);
  const graded = withVariances(truth, 64);
  const seen: { readonly solver: string; readonly exact: number; readonly found: number }[] = [];
  for (const { solver } of SOLVERS) {
    const { variances } = await pca(graded, { k: 'all', solver });
    seen.push(...truth.map((exact, j) => ({ solver, exact, found: variances[j] / variances[0] })));
  }
  const measurements = SOLVERS.map(({ solver }) => {
    const own = seen.filter((one) => one.solver === solver);
    const right = own.findIndex(({ exact, found }) => !(Math.abs(found - exact) <= 0.01 * exact));
    return `${solver} has variances right to 1 % down to ${own[(right < 0 ? own.length : right) - 1].exact.toExponential(0)} of the largest.`;
  });

  const log = (domain: [number, number], by: number) => ({
    type: 'log' as const,
    domain: [10 ** domain[0], 10 ** domain[1]],
    ticks: powersOfTen(domain[0], domain[1], by),
    tickFormat: powerOfTen,
    labelArrow: 'none' as const,
  });
  const same = plot({
    width: WIDTH / 2,
    height: HEIGHT,
    marginLeft: 48,
    marginTop: 26,
    marginBottom: 46,
    x: { label: 'component', labelAnchor: 'center', labelArrow: 'none', domain: [0, 101] },
    y: { ...log([2, 6], 1), label: 'variance, pixel values squared', grid: true },
    marks: [
      Plot.dot(pairs, { x: 'component', y: 'large', stroke: BLUE, r: 4, strokeWidth: 1.5 }),
      Plot.dot(pairs, { x: 'component', y: 'small', fill: ORANGE, r: 2 }),
    ],
  });
  const squared = plot({
    width: WIDTH / 2,
    height: HEIGHT,
    marginLeft: 52,
    marginTop: 26,
    marginRight: 20,
    marginBottom: 46,
    x: { ...log([-28, 0], 7), reverse: true, label: 'true share of the largest variance', labelAnchor: 'center' },
    y: { ...log([-30, 1], 5), label: 'share that is found', grid: true },
    marks: [
      Plot.link([0], { x1: 1, y1: 1, x2: 1e-28, y2: 1e-28, stroke: FAINT, strokeDasharray: '5 4' }),
      ...SOLVERS.map(({ solver, colour, symbol, r }) =>
        Plot.dot(
          seen.filter((one) => one.solver === solver && one.found > 1e-30),
          { x: 'exact', y: 'found', stroke: colour, symbol, r, strokeWidth: 1.8 },
        ),
      ),
    ],
  });
  const left = 56;
  const right = WIDTH / 2 + 70;
  return {
    svg: sheet({
      title: 'Two matrices, the same eigenvalues; and the price of squaring',
      description: `Left, ${pairs.length} variances of ${IMAGES} handwritten digits, from the matrix of 784 by 784 pixels as rings and from the matrix of ${IMAGES} by ${IMAGES} images as dots: every dot is in its ring. Right, made data whose variances are 1, a tenth, a hundredth and so on: the two solvers that form a matrix of products leave the exact line between ten to the minus thirteen and ten to the minus sixteen, the SVD of the data themselves follows it to ten to the minus twenty-eight.`,
      height: HEADLINE + HEIGHT + 30,
      parts: [
        text(left, HEADLINE + 18, `${IMAGES} digits of 784 pixels`, { weight: 600 }),
        text(left + 60, HEADLINE + 70, '○ from XᵀX, 784 × 784', { colour: BLUE }),
        text(left + 60, HEADLINE + 92, `● from XXᵀ, ${IMAGES} × ${IMAGES}`, { colour: DARK_ORANGE }),
        text(left + 60, HEADLINE + 114, `the other ${784 - pairs.length} are zero`, { colour: FAINT }),
        { x: 0, y: HEADLINE + 24, svg: same },
        text(right - 14, HEADLINE + 18, 'Variances 1, 10⁻¹, 10⁻², …', { weight: 600 }),
        text(right, HEADLINE + 248, '○ covariance', { colour: BLUE }),
        text(right, HEADLINE + 270, '× dual', { colour: DARK_ORANGE }),
        text(right, HEADLINE + 292, '∘ svd', { colour: GREEN }),
        text(right + 110, HEADLINE + 292, 'exact: dashed', { colour: FAINT }),
        { x: WIDTH / 2, y: HEADLINE + 24, svg: squared },
      ],
    }),
    measurements: [
      `${pairs.length} variances of ${IMAGES} digits, from both matrices: at most ${apart.toExponential(1)} of the largest apart.`,
      ...measurements,
    ],
  };
};

/**
 * Rows whose variances are given: X = U·diag(√(λ·(n − 1)))·Vᵀ with U and V from cosines. The columns of U are orthogonal to the
 * vector of ones, so the means are zero.
 */
function withVariances(variances: readonly number[], rows: number): Matrix {
  const cols = variances.length;
  const cosine = (row: number, wave: number, length: number): number =>
    Math.sqrt((wave === 0 ? 1 : 2) / length) * Math.cos((Math.PI * wave * (2 * row + 1)) / (2 * length));
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let c = 0; c < cols; c++) {
      for (let j = 0; j < cols; j++) {
        data[i * cols + c] += cosine(i, j + 1, rows) * Math.sqrt(variances[j] * (rows - 1)) * cosine(c, j, cols);
      }
    }
  }
  return { rows, cols, data };
}
