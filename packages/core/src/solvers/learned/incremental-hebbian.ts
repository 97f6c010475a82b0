import { type ProgressTracker, runTaskSync } from '../../base/progress.js';
import type { Block, Scaler } from '../../data/blocks/block.js';
import { everyNth, everyNthOf } from '../../data/blocks/block-rows.js';
import { chooseScaler, columnScales } from '../../data/statistics/scaling.js';
import { type ColumnStatistics, emptyStatistics, mergeStatistics } from '../../data/statistics/statistics.js';
import type { Engine, LoadedBlock, RowsAt } from '../../engines/engine.js';
import { orthonormalise, randomRows } from '../../linalg/orthonormalise.js';
import { orthonormalityDefect } from '../../linalg/orthonormality.js';
import { type Random, random } from '../../linalg/random.js';
import { addCombination, rowProducts } from '../../linalg/row-products.js';
import { symmetricEigen } from '../../linalg/symmetric-eigen.js';
import { maxAbs, norm } from '../../linalg/vector.js';
import type { IncrementalFit, IncrementalFitSettings, OnePassProblem, Solution } from '../solver.js';
import { EnginePasses } from './engine-passes.js';
import { type Epoch, makeEpoch } from './epoch.js';
import { explainFailure } from './explain-failure.js';
import {
  certified,
  checkExact,
  countOf,
  type MeasuredPairs,
  measureSubspace,
  runRequests,
  searchOutside,
} from './learn.js';
import type { HebbianRule } from './learn-options.js';
import { HEBBIAN_STEP, hebbianDirection, reconstructionLoss } from './mean-terms.js';
import type { EpochState } from './rule.js';

/** Rows of the first batches, and of the last ones. Small batches learn faster; large batches cost less and leave less noise. */
const FIRST_BATCH = 64;
const LAST_BATCH = 256;
/** In between, the size of a batch is this share of the rows so far. */
const BATCH_SHARE = 1 / 32;
/** The batch size is updated after this number of rows, which are spread over the block. */
const RESIZE_AFTER = 2048;
/** Number of rows after which steps are half as long. */
const HALVE_AFTER = 25_000;
/** Number of batches in a running mean. */
const AVERAGED_BATCHES = 50;
/** The loss is computed for one of this number of batches, because it takes as long as a step. */
const LOSS_EVERY = 4;
/** Weights above this are diverging. */
const DIVERGED_WEIGHT = 10;

/**
 * Hebbian learning from rows that are read once. Mean, column scales and σ₁² are those of the rows so far. Steps get shorter,
 * η/(1 + t/25,000) after t rows (Robbins & Monro 1951). Memory: W and the column statistics.
 *
 * If the rows can be read again, a second pass measures the result. Otherwise the variances are those of the last batches,
 * without error bounds.
 */
export class IncrementalHebbian implements IncrementalFit {
  readonly columns: ColumnStatistics;
  merges = 0;
  readonly #rule: HebbianRule;
  readonly #settings: IncrementalFitSettings;
  readonly #d: number;
  readonly #k: number;
  readonly #rng: Random;
  readonly #weights: Float64Array;
  /** The mean of WC over the last batches. C is the scatter per row of the scaled data. */
  readonly #image: Float64Array;
  /** σ₁² per row in the same units, from the lengths of WC so far. */
  #top = 0;
  #unit = 1;
  #batches = 0;
  #read = 0;
  #learned = 0;
  #shortened = 1;
  #loss = 0;
  #step = 0;
  #diverged = false;

  constructor(rule: HebbianRule, settings: IncrementalFitSettings) {
    const { cols, k, seed } = settings;
    this.#rule = rule;
    this.#settings = settings;
    this.#d = cols;
    this.#k = k === 'all' ? cols : (k ?? Math.min(10, cols));
    if (settings.learn?.exact) checkExact(settings.learn.exact, cols);
    this.columns = emptyStatistics(cols);
    this.#rng = random(seed);
    this.#weights = this.#k <= cols ? randomRows(this.#k, cols, this.#rng) : new Float64Array(0);
    this.#image = new Float64Array(this.#weights.length);
  }

  async add(block: Block, at: RowsAt, engine: Engine, progress: ProgressTracker): Promise<void> {
    const whole = await engine.load(block);
    try {
      mergeStatistics(this.columns, await whole.summarise(at, undefined, (rows) => progress.step(rows)));
    } finally {
      whole.release();
    }
    this.merges++;
    this.#read += block.rows;
    const { center, scale, columnWeights, ddof } = this.#settings;
    const divisor = this.columns.weight - ddof;
    if (this.columns.rows < 2 || divisor <= 0 || this.#weights.length === 0 || this.#diverged) return;
    const scaling = columnScales(this.columns, scale, divisor, center, columnWeights);
    const scaler = chooseScaler(this.columns, scaling.scale, center);
    if (scaler.scatterTrace === 0) return;
    this.#measureIn(scaler.unit);
    const covarianceTrace = scaler.scatterTrace / this.columns.weight;
    const perRow = this.columns.weight / this.#read;
    const parts = Math.ceil(block.rows / RESIZE_AFTER);
    for (let p = 0; p < parts; p++) {
      const part = everyNth(block, p, parts);
      const partWeights = at.weights && everyNthOf(at.weights, p, parts);
      const count = Math.ceil(part.rows / this.#batchSize());
      for (let b = 0; b < count; b++) {
        const weights = partWeights && everyNthOf(partWeights, b, count);
        const rows = everyNth(part, b, count);
        const weighted = weights ? { ...scaler, rootWeights: weights.map(Math.sqrt) } : scaler;
        const loaded = await engine.load(rows);
        try {
          await this.#learn(loaded, weighted, perRow * rows.rows, covarianceTrace, progress);
        } finally {
          loaded.release();
        }
        this.#learned += rows.rows;
      }
    }
  }

  #batchSize(): number {
    return (
      this.#settings.learn?.batch ??
      Math.max(FIRST_BATCH, Math.min(LAST_BATCH, Math.floor(BATCH_SHARE * this.#learned)))
    );
  }

  /** Converts the state to another unit. Units are powers of two, so the conversion is exact. */
  #measureIn(unit: number): void {
    const factor = (this.#unit / unit) ** 2;
    this.#top *= factor;
    for (let i = 0; i < this.#image.length; i++) this.#image[i] *= factor;
    this.#unit = unit;
  }

  /** One step on a batch. `weight` is the number of its rows times the average weight of a row, and `covarianceTrace` is tr C. */
  async #learn(
    batch: LoadedBlock,
    scaler: Scaler,
    weight: number,
    covarianceTrace: number,
    progress: ProgressTracker,
  ): Promise<void> {
    const [k, d] = [this.#k, this.#d];
    const times = async (vectors: Float64Array, count: number): Promise<Float64Array> => {
      const out = new Float64Array(count * d);
      await batch.normal(scaler, vectors, count, out, () => progress.yieldToEventLoop());
      for (let i = 0; i < out.length; i++) out[i] /= weight;
      return out;
    };
    if (this.#top === 0) this.#top = await firstVariance(times, d, this.#rng);
    if (this.#top === 0) return;
    const image = await times(this.#weights, k);
    let longest = 0;
    for (let r = 0; r < k; r++) longest = Math.max(longest, norm(image, r * d, d));
    this.#batches++;
    const share = Math.max(1 / this.#batches, 1 / AVERAGED_BATCHES);
    for (let i = 0; i < image.length; i++) this.#image[i] += share * (image[i] - this.#image[i]);
    this.#top += Math.max(0, longest - this.#top) / this.#batches;
    for (let i = 0; i < image.length; i++) image[i] /= this.#top;
    const m = rowProducts(image, k, this.#weights, k, d);
    if (this.#batches % LOSS_EVERY === 1) {
      const p = rowProducts(this.#weights, k, this.#weights, k, d);
      this.#loss +=
        (reconstructionLoss(m, p, covarianceTrace / this.#top, k) - this.#loss) / Math.ceil(this.#batches / LOSS_EVERY);
    }
    const { step } = this.#settings.learn ?? {};
    const chosen = step ?? HEBBIAN_STEP / (1 + covarianceTrace / this.#top / batch.rows) / this.#shortened;
    this.#step = chosen / (1 + this.#learned / HALVE_AFTER);
    const direction = runTaskSync(hebbianDirection(this.#rule, this.#weights, image, m, k, d));
    const before = this.#weights.slice();
    for (let i = 0; i < direction.length; i++) this.#weights[i] += this.#step * direction[i];
    if (maxAbs(this.#weights) <= DIVERGED_WEIGHT) return;
    this.#weights.set(before);
    this.#shortened *= 2;
    this.#diverged = step !== undefined;
  }

  async solve(problem: OnePassProblem): Promise<Solution> {
    const { d, tolerance, passes, progress, learn } = problem;
    const state: EpochState = {
      loss: this.#loss,
      terms: { reconstruction: this.#loss },
      step: this.#step,
      batch: this.#batchSize(),
      defect: orthonormalityDefect(this.#weights, this.#k, d),
      rows: this.#weights,
      shorter: this.#diverged ? Math.min(HEBBIAN_STEP, (learn.step as number) / 4) : undefined,
    };
    const tell = (worst?: number): Epoch => {
      const epoch = makeEpoch(state, 0, learn.exact, d, this.#k, worst);
      learn.onEpoch?.(epoch, { rows: this.#weights });
      return epoch;
    };
    if (!passes) return this.#uncheckedSolution(problem, state, tell());
    const replies = new EnginePasses(passes, progress, problem.startSeed);
    const reply = replies.reply.bind(replies);
    const found = leading(await runRequests(measureSubspace(state.rows, this.#k, d, this.#rng), reply), problem);
    const { k } = found;
    const start = random(problem.startSeed + 1);
    const { next, missing } = await runRequests(searchOutside(found, k, d, tolerance, start), reply);
    const trace = [tell(found.worst)];
    const converged = found.worst <= tolerance && !missing && !this.#diverged;
    const failure = converged ? {} : { failure: explainFailure(state, 1, found, problem, missing) };
    return { ...certified(found, next), k, converged, passes: 2, trace, ...failure };
  }

  /** The solution without a second pass: variances of the last batches, and bounds that do not exclude any value. */
  #uncheckedSolution(problem: OnePassProblem, state: EpochState, epoch: Epoch): Solution {
    const { d, scatterTrace } = problem;
    const all = this.#k;
    const q = this.#weights.slice();
    runTaskSync(orthonormalise(q, all, d, this.#rng));
    // W is nearly orthonormal: Q = CW with C = QWᵀ, so QS is C times the running mean of WS.
    const image = new Float64Array(all * d);
    addCombination(1, rowProducts(q, all, this.#weights, all, d), all, this.#image, all, d, image);
    const { values, vectors } = runTaskSync(symmetricEigen(rowProducts(image, all, q, all, d), all, all));
    const basis = new Float64Array(all * d);
    addCombination(1, vectors, all, q, all, d, basis);
    const found = leading(
      { basis, values, residuals: new Float64Array(all).fill(scatterTrace), worst: Number.NaN },
      problem,
    );
    const { k } = found;
    const guesses = found.values.map((value) => Math.min(scatterTrace, Math.max(0, value * this.columns.weight)));
    const failed = this.#diverged ? { failure: explainFailure(state, 1, found, problem, false) } : {};
    return {
      ...found,
      values: guesses,
      next: k < d ? { value: 0, bound: scatterTrace } : undefined,
      // An estimate is off by at most the total variance. Each component is assumed to have some variance.
      bracket: { above: guesses.map((value) => Math.max(value, scatterTrace - value)), below: 0 },
      unchecked: true,
      converged: !this.#diverged,
      passes: 1,
      trace: [epoch],
      ...failed,
    };
  }
}

/** The components that can have variance: fewer than there are neurons if there were fewer rows. */
function leading(found: MeasuredPairs, { wanted, d }: OnePassProblem): MeasuredPairs & { readonly k: number } {
  const k = countOf(wanted);
  return {
    ...found,
    k,
    basis: found.basis.slice(0, k * d),
    values: found.values.slice(0, k),
    residuals: found.residuals.slice(0, k),
  };
}

/** Estimates σ₁² of the first batch by a few rounds of v ← Cv/‖Cv‖ from a random v. */
async function firstVariance(
  times: (vectors: Float64Array, count: number) => Promise<Float64Array>,
  d: number,
  { normal }: Random,
): Promise<number> {
  let vector: Float64Array = new Float64Array(d).map(normal);
  let length = norm(vector);
  for (let round = 0; round < 6 && length > 0; round++) {
    const unit = length;
    vector = await times(
      vector.map((value) => value / unit),
      1,
    );
    length = norm(vector);
  }
  return length;
}
