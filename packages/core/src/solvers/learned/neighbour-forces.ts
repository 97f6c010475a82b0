import { rowProducts } from '../../linalg/row-products.js';
import { type DescentData, descentRows } from './descent-rows.js';

/** The share of points that are attracted by their nearest neighbour, and of points that are repelled by their farthest one. */
export interface ForceShares {
  readonly nearestAttract: number;
  readonly farthestRepel: number;
}

/** How often neighbours attract and repel, for two kinds of centring. */
export interface NeighbourForces {
  /** Centring by the mean of row i plus the mean of column j, without the overall mean. */
  readonly meansOnly: ForceShares;
  /** Double centring by L: the sign is that of −⟨xᵢ, xⱼ⟩. */
  readonly doubleCentred: ForceShares;
}

/**
 * The forces between neighbours in the data. Point j pulls point i if ‖xᵢ − xⱼ‖² is below its centring, and pushes it if it is
 * above. Nearest neighbours are said to attract and farthest ones to repel: this counts how often they do. O(n²·d).
 */
export function neighbourForces(data: DescentData): NeighbourForces {
  const { rows, n, d } = descentRows(data, { center: true, scale: 'none', ddof: 1 });
  const squares = Float64Array.from({ length: n }, (_, i) => sumOfSquares(rows.subarray(i * d, (i + 1) * d)));
  const mean = squares.reduce((sum, value) => sum + value / n, 0);
  const counts = { meansOnly: [0, 0], doubleCentred: [0, 0] };
  for (let i = 0; i < n; i++) {
    const products = rowProducts(rows.subarray(i * d, (i + 1) * d), 1, rows, n, d);
    const distance = (j: number): number => squares[i] + squares[j] - 2 * products[j];
    let [nearest, farthest] = [-1, -1];
    for (let j = 0; j < n; j++) {
      if (j === i) continue;
      if (nearest < 0 || distance(j) < distance(nearest)) nearest = j;
      if (farthest < 0 || distance(j) > distance(farthest)) farthest = j;
    }
    // For centred points, the mean of row i is ‖xᵢ‖² + mean, and the overall mean is 2·mean.
    const centring = (j: number): number => squares[i] + squares[j] + 2 * mean;
    if (distance(nearest) < centring(nearest)) counts.meansOnly[0]++;
    if (distance(farthest) > centring(farthest)) counts.meansOnly[1]++;
    if (products[nearest] > 0) counts.doubleCentred[0]++;
    if (products[farthest] < 0) counts.doubleCentred[1]++;
  }
  const shares = ([pulls, pushes]: readonly number[]): ForceShares => ({
    nearestAttract: pulls / n,
    farthestRepel: pushes / n,
  });
  return { meansOnly: shares(counts.meansOnly), doubleCentred: shares(counts.doubleCentred) };
}

function sumOfSquares(row: Float64Array): number {
  return row.reduce((sum, value) => sum + value * value, 0);
}
