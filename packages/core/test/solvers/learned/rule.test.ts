import { describe, expect, it } from 'vitest';
import type { Task } from '../../../src/base/progress.js';
import { random } from '../../../src/linalg/random.js';
import { meanTerms } from '../../../src/solvers/learned/mean-terms.js';
import { innerProducts } from '../../../src/solvers/learned/moving-points.js';
import { centredDistances } from '../../../src/solvers/learned/pairwise.js';
import { NO_RESULT, withPauses } from '../../../src/solvers/learned/rule.js';

/** How often a task gives its caller a chance to yield to the event loop. */
function pauses(steps: Task<unknown>): number {
  const run = withPauses(steps);
  let count = 0;
  for (let turn = run.next(); !turn.done; turn = run.next(NO_RESULT)) count++;
  return count;
}

describe('work inside a rule', () => {
  it('pauses every million operations, however much it does at once', () => {
    const normals = (length: number): Float64Array => new Float64Array(length).map(random(1).normal);
    const [k, d, n] = [80, 600, 3000];
    // Four products of k² · d, two operations each.
    const w = normals(k * d);
    const terms = pauses(meanTerms(w, normals(k * d), 1, 0.5, k, d));
    expect(terms).toBeGreaterThan((8 * k * k * d) / 2 ** 21);
    expect(pauses(innerProducts(normals(n * k), n, k))).toBeGreaterThan((2 * n * k * k) / 2 ** 21);
    expect(pauses(centredDistances(normals(400 * 50), 400, 50, 1))).toBeGreaterThan((3 * 400 * 200 * 50) / 2 ** 21);
  });
});
