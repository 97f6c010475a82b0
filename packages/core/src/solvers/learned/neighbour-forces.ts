import { rowProducts } from '../../linalg/row-products.js';
import { type DescentData, descentRows } from './descent-rows.js';

/** Shares of the points whose nearest neighbour pulls them, and whose farthest pushes them away. */
export interface ForceShares {
  readonly nearestAttract: number;
  readonly farthestRepel: number;
}

/** Shares of the force on a point that come from its neighbours, for two ways of centring. */
export interface NeighbourForces {
  /** With the mean of row i plus the mean of column j as centring, which leaves the mean of all out. */
  readonly meansOnly: ForceShares;
  /** With double centring, as L does it: the sign is that of −⟨xᵢ, xⱼ⟩. */
  readonly doubleCentred: ForceShares;
}

/**
 * The forces between neighbours in the data: j pulls i where ‖xᵢ − xⱼ‖² is below its centring, and pushes where it is above.
 * Nearest neighbours are said to attract and farthest ones to repel; this counts how often they do. O(n²·d).
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
    // Of centred points the mean of row i is ‖xᵢ‖² + mean, and the mean of all 2·mean.
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
