import type { Engine } from '../../engines/engine.js';
import { random } from '../../linalg/random.js';
import { dot } from '../../linalg/vector.js';
import { settle } from '../../maybe-promise.js';
import type { ProgressTracker } from '../../progress.js';
import { KrylovSpace } from '../../solvers/direct/krylov-space.js';
import { residualNorms } from '../../solvers/residuals.js';
import type { Replicate, ReplicateOptions, Replicates } from './replicate.js';
import type { WideReplicate, WideRows } from './wide-rows.js';

/** Vectors beyond the wanted ones: they make the iteration converge faster, and show which component comes next. */
const EXTRA = 6;
/**
 * A replicate's axes are found when their residuals are this share of those that the sample's axes have in the replicate. As an
 * axis is off by its residual over the gap to its neighbours, they are a thousandth of the way from the sample's axes to the
 * replicate's own off, at most.
 */
const SHARE_OF_SAMPLING = 1e-3;
/** The residual, relative to the first variance, that the sample's own axes must reach, and below which nothing need go. */
const SAMPLE_TOLERANCE = 1e-10;
/** Blocks of a space before it is restarted from its best vectors. */
const MOST_BLOCKS = 20;
const MOST_RESTARTS = 50;

/**
 * Replicates of wide data of which few components are wanted: block Lanczos, started from the sample's components, whose products
 * with a replicate's covariance matrix are passes over the rows. No matrix of d × d numbers is formed.
 */
export async function* replicatesByIteration(
  rows: WideRows,
  options: ReplicateOptions,
  engine: Engine,
  progress: ProgressTracker,
): Replicates {
  const { d } = rows;
  const { k } = options;
  const width = Math.min(d, k + EXTRA);
  let start: Float64Array | undefined;
  for (let number = 0; number <= options.replicates; number++) {
    const replicate = rows.replicate(number);
    const found = await iterate(rows, replicate, k, width, start, number, engine, progress);
    yield found.replicate;
    start ??= found.leading;
  }
}

async function iterate(
  rows: WideRows,
  { columns, frame, deviations, total }: WideReplicate,
  k: number,
  width: number,
  start: Float64Array | undefined,
  number: number,
  engine: Engine,
  progress: ProgressTracker,
): Promise<{ replicate: Replicate; leading: Float64Array }> {
  const { d, block } = rows;
  const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
  const multiply = async (vectors: Float64Array, count: number): Promise<Float64Array> => {
    const out = new Float64Array(count * d);
    await block.normal(frame, vectors, count, out, onStep);
    return out;
  };
  const space = new KrylovSpace(d, random(number), engine);
  try {
    await settle(space.append(width, progress, start));
    let allowed = new Float64Array(k);
    let along = new Float64Array(k);
    for (let blocks = 1, restarts = 0; ; blocks++) {
      const image = await multiply(space.lastBlock(), space.lastCount);
      if (start && blocks === 1 && restarts === 0) {
        along = Float64Array.from({ length: k }, (_, i) => dot(image, i * d, start, i * d, d));
        allowed = residualNorms(image.slice(), start, along, k, d).map((residual) => SHARE_OF_SAMPLING * residual);
      }
      await settle(space.expand(image, progress));
      const whole = space.size >= d;
      const crowded = blocks >= MOST_BLOCKS;
      // The sample's own axes take longer, and looking costs more than a pass where blocks are many.
      const ritz = await settle(space.ritz(progress, () => Math.min(space.size, width)));
      const least = SAMPLE_TOLERANCE * ritz.values[0];
      const done = Array.from({ length: k }, (_, i) => ritz.residuals[i] <= Math.max(allowed[i], least)).every(Boolean);
      if (done || whole || restarts > MOST_RESTARTS) {
        const leading = await settle(space.vectors(ritz, Math.min(space.size, width), progress));
        const values = ritz.values.slice(0, k).map((value) => Math.max(0, value));
        const { mean, scale } = columns;
        const vectors = leading.slice(0, k * d);
        return {
          replicate: { mean, scale, values, total, vectors, deviations, along: start ? along : values },
          leading,
        };
      }
      if (crowded) {
        await settle(space.restart(Math.min(3 * width, space.size), progress));
        blocks = 0;
        restarts++;
      }
      await settle(space.append(Math.min(space.lastCount, d - space.size), progress));
    }
  } finally {
    space.release();
  }
}
