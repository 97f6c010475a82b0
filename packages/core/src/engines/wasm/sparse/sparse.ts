import type { Scaler, SparseBlock } from '../../../data/blocks/block.js';
import type { ColumnStatistics } from '../../../data/statistics/statistics.js';
import type { DualTarget, LoadedBlock, OnStep, RowsAt } from '../../engine.js';
import { SparseReference } from '../../reference/sparse.js';
import { sameScaler } from '../../same-scaler.js';
import { summariseTwoPass } from '../../summarise-two-pass.js';
import type { Kernels } from '../kernels.js';
import type { RunnerProvider } from '../runner-provider.js';
import type { JobRunner } from '../threads/job-runner.js';
import {
  allocatePart,
  byColumnBytes,
  cutRows,
  fillPart,
  type ImplicitCentring,
  implicitCentring,
  type Part,
  partBytes,
  type RowAddresses,
} from './sparse-rows.js';

/** Loads sparse rows: into WebAssembly, or into the reference engine if there are too many columns for the kernels. */
export function loadSparse(block: SparseBlock, provider: RunnerProvider): LoadedBlock {
  return WasmSparse.suits(block) ? new WasmSparse(block, provider) : new SparseReference(block);
}

/** Lanes of a panel: a cache line holds eight float64. */
const LANES = 8;
/** Maximum panels that are multiplied in one reading of the rows. */
const PANELS = 8;
/** Maximum bytes of the sums of one panel over all parts. */
const SUMS = 2 ** 27;
/** Parts of the rows that run at the same time, each with separate sums. The number is fixed, so that results do not depend on threads. */
const PARTS = 4;
/** Maximum bytes of rows that stay in the memory between passes. */
const MOST_RESIDENT_BYTES = 2 ** 28;
/** Minimum entries per column and part for which a copy by column saves time. */
const BY_COLUMN_ENTRIES = 4;

/** The arrays of a pass: Y = BVᵀ has `vectors` and `scores`, Z += YᵀB has `scores` and `out`, Z += VBᵀB has `vectors` and `out`. */
interface Pass {
  readonly vectors?: Float64Array;
  readonly scores?: Float64Array;
  readonly out?: Float64Array;
}

/** Rows that stay in a separate memory. */
interface Kept {
  readonly kernels: Kernels;
  readonly centred: ImplicitCentring;
  readonly addresses: readonly RowAddresses[][];
  /** True after the copy by column was made, or if it needs too much memory. */
  byColumn: boolean;
}

/**
 * The passes over sparse rows in WebAssembly, with the implicit centring of the reference engine: a row of B is √w·(a − t).
 *
 * Vectors are packed side by side, eight to a cache line. The scores of a row are the sum of the lines of its entries' columns, and the row
 * adds its scores to the lines of the same columns in Z. A job handles one part of the rows and one panel of vectors. Each part has
 * separate sums, which are added in the order of the parts, so results do not depend on the threads.
 *
 * From the second pass on, rows of up to 256 MB stay in a separate memory. If there is room, a copy by column stays there too: gathering
 * sums column by column is faster than scattering them, and gives the same bits. Larger rows are copied in for each pass, one stage of
 * parts while jobs work on the stage before.
 */
export class WasmSparse implements LoadedBlock {
  readonly rows: number;
  readonly cols: number;
  readonly #block: SparseBlock;
  readonly #plain: SparseReference;
  readonly #provider: RunnerProvider;
  readonly #parts: number;
  readonly #stages: readonly (readonly Part[])[];
  #passes = 0;
  #busy = false;
  #centred: ImplicitCentring | undefined;
  #kept: Kept | undefined;

  constructor(block: SparseBlock, provider: RunnerProvider) {
    this.rows = block.rows;
    this.cols = block.cols;
    this.#block = block;
    this.#plain = new SparseReference(block);
    this.#provider = provider;
    this.#parts = Math.max(1, Math.min(PARTS, Math.floor(SUMS / panelBytes(block.cols, LANES))));
    this.#stages = cutRows(block, this.#parts);
  }

  /** Returns true if a panel of this many columns, and its sums, fit into a WebAssembly memory. */
  static suits({ cols }: SparseBlock): boolean {
    return panelBytes(cols, LANES) <= 2 ** 29;
  }

  summarise(at: RowsAt, scatter: Float64Array | undefined, onStep: OnStep): Promise<ColumnStatistics> {
    return summariseTwoPass(this.#block, this, at, scatter, onStep);
  }

  gram(scaler: Scaler, scatter: Float64Array, onStep: OnStep): Promise<void> {
    return this.#plain.gram(scaler, scatter, onStep);
  }

  /** Multiplies the other block by the filled rows of this block, like the reference engine. */
  dual(scaler: Scaler, other: LoadedBlock, otherScaler: Scaler, into: DualTarget, onStep: OnStep): Promise<void> {
    return this.#plain.dual(scaler, other, otherScaler, into, onStep);
  }

  multiply(scaler: Scaler, vectors: Float64Array, k: number, scores: Float64Array, onStep: OnStep): Promise<void> {
    return this.#run(scaler, k, { vectors, scores }, onStep);
  }

  multiplyTransposed(
    scaler: Scaler,
    scores: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    return this.#run(scaler, k, { scores, out }, onStep);
  }

  normal(scaler: Scaler, vectors: Float64Array, k: number, out: Float64Array, onStep: OnStep): Promise<void> {
    return this.#run(scaler, k, { vectors, out }, onStep);
  }

  release(): void {
    if (this.#kept) this.#provider.returnKernels(this.#kept.kernels);
    this.#kept = undefined;
    this.#centred = undefined;
    this.#passes = 0;
  }

  async #run(scaler: Scaler, k: number, pass: Pass, onStep: OnStep): Promise<void> {
    const flops = (pass.vectors && pass.out ? 4 : 2) * (this.#block.data.length + this.rows) * k;
    if (!this.#centred || !sameScaler(this.#centred.scaler, scaler))
      this.#centred = implicitCentring(this.#block, scaler);
    const centred = this.#centred;
    if (this.#passes++ > 0 && !this.#busy) this.#keep(centred);
    if (this.#busy || this.#kept?.centred !== centred) {
      await this.#provider.withRunner(flops, (runner) => this.#work(runner, centred, undefined, k, pass, onStep));
      return;
    }
    const { kernels, addresses } = this.#kept;
    const kept = this.#kept;
    this.#busy = true;
    try {
      await this.#provider.runOn(kernels, flops, (runner) =>
        this.#workOnKept(runner, kept, addresses, k, pass, onStep),
      );
    } finally {
      this.#busy = false;
      // A lost worker may still write into this memory.
      if (kernels.broken) this.#kept = undefined;
    }
  }

  /** Copies the rows into a separate memory, which keeps them, if there is room. */
  #keep(centred: ImplicitCentring): void {
    if (this.#kept?.centred === centred) return;
    const weighted = centred.scaler.rootWeights !== undefined;
    const parts = this.#stages.flat();
    const plain = parts.reduce((sum, { rows, from, to }) => sum + partBytes(rows, to - from, weighted), 0);
    if (plain > MOST_RESIDENT_BYTES) return;
    const both = parts.reduce((sum, { from, to }) => sum + byColumnBytes(to - from, this.cols), plain);
    const copies =
      both <= MOST_RESIDENT_BYTES && this.#block.data.length >= BY_COLUMN_ENTRIES * this.cols * parts.length;
    const kernels = this.#kept?.kernels ?? this.#provider.takeKernels();
    if (!kernels) return;
    kernels.forget();
    const addresses = this.#stages.map((stage) =>
      stage.map((part) => {
        const at = allocatePart(kernels, part.rows, part.to - part.from, weighted, copies ? this.cols : 0);
        fillPart(kernels, at, this.#block, part, centred);
        return at;
      }),
    );
    kernels.keep();
    this.#kept = { kernels, centred, addresses, byColumn: !copies };
  }

  async #workOnKept(
    runner: JobRunner,
    kept: Kept,
    addresses: readonly RowAddresses[][],
    k: number,
    pass: Pass,
    onStep: OnStep,
  ): Promise<void> {
    if (!kept.byColumn) await this.#copyByColumn(runner, addresses, onStep);
    kept.byColumn = true;
    await this.#work(runner, kept.centred, addresses, k, pass, onStep);
  }

  /** Copies the entries by column. */
  async #copyByColumn(runner: JobRunner, addresses: readonly RowAddresses[][], onStep: OnStep): Promise<void> {
    const parts = this.#stages.flat();
    runner.reserve(parts.length);
    addresses.flat().forEach(({ values, columns, starts, byColumn }, p) => {
      runner.addJob('sparseByColumn', values, columns, starts, parts[p].rows, this.cols, byColumn);
    });
    await runner.runJobs(() => onStep(0));
    runner.kernels.clear();
  }

  async #work(
    runner: JobRunner,
    centred: ImplicitCentring,
    addresses: readonly RowAddresses[][] | undefined,
    k: number,
    pass: Pass,
    onStep: OnStep,
  ): Promise<void> {
    const pipeline = addresses
      ? { at: (s: number) => addresses[s], load: () => {} }
      : this.#stream(runner.kernels, centred);
    const stages = this.#stages;
    const buffers = new PanelBuffers(
      runner,
      this.#parts,
      stages,
      centred.rest,
      k,
      pass,
      (addresses?.[0]?.[0]?.byColumn ?? 0) !== 0,
    );
    for (let first = 0; first < k; first += buffers.count) {
      const last = first + buffers.count >= k;
      await buffers.begin(first, onStep);
      pipeline.load(0);
      for (let s = 0; s < stages.length; s++) {
        buffers.work(stages[s], pipeline.at(s));
        await runner.runJobs(
          () => onStep(0),
          () => pipeline.load(s + 1),
        );
        buffers.read(stages[s]);
        const rows = stages[s].reduce((sum, part) => sum + part.rows, 0);
        await onStep(last ? rows : 0);
      }
      await buffers.end(onStep);
    }
  }

  /** Creates two buffers that stages use in turn. */
  #stream(kernels: Kernels, centred: ImplicitCentring): { at(s: number): RowAddresses[]; load(s: number): void } {
    const stages = this.#stages;
    const all = stages.flat();
    const rows = all.reduce((most, part) => Math.max(most, part.rows), 0);
    const entries = all.reduce((most, { from, to }) => Math.max(most, to - from), 0);
    const weighted = centred.scaler.rootWeights !== undefined;
    const rooms = stages.slice(0, 2).map((stage) => stage.map(() => allocatePart(kernels, rows, entries, weighted)));
    const loaded = [-1, -1];
    return {
      at: (s) => rooms[s % 2],
      load: (s) => {
        if (s >= stages.length || loaded[s % 2] === s) return;
        loaded[s % 2] = s;
        stages[s].forEach((part, p) => {
          fillPart(kernels, rooms[s % 2][p], this.#block, part, centred);
        });
      },
    };
  }
}

/** Some of the vectors, side by side. */
interface Panel {
  /** Index of its first vector among the vectors in the buffers. */
  readonly first: number;
  readonly lanes: number;
  /** Number of lanes in use. */
  readonly width: number;
  readonly start: number;
  readonly sums: number;
}

/** The memory of a pass besides the rows: panels of vectors and of sums, scores, and buffers to copy vectors in and out. */
class PanelBuffers {
  /** Number of vectors that are multiplied in one reading of the rows. */
  readonly count: number;
  readonly #runner: JobRunner;
  readonly #parts: number;
  readonly #d: number;
  readonly #k: number;
  readonly #pass: Pass;
  readonly #rest: number;
  readonly #lines: number;
  readonly #scores: number;
  readonly #room: number;
  readonly #sums: number;
  #first = 0;
  #width = 0;
  #panels: Panel[] = [];

  constructor(
    runner: JobRunner,
    parts: number,
    stages: readonly (readonly Part[])[],
    rest: Float64Array,
    k: number,
    pass: Pass,
    byColumn: boolean,
  ) {
    const { kernels } = runner;
    const d = rest.length;
    const panel = panelBytes(d, LANES);
    const most = Math.max(1, Math.min(PANELS, Math.floor(SUMS / (panel * parts))));
    this.count = Math.min(k, most * LANES);
    this.#runner = runner;
    this.#parts = parts;
    this.#d = d;
    this.#k = k;
    this.#pass = pass;
    const panels = Math.ceil(this.count / LANES);
    const stageRows = Math.max(0, ...stages.map((stage) => stage.reduce((sum, part) => sum + part.rows, 0)));
    this.#rest = kernels.put(rest);
    this.#lines = kernels.allocate(this.count * d * 8);
    this.#room = pass.vectors ? kernels.allocate(panels * panel) : 0;
    this.#sums = pass.out ? kernels.allocate(panels * panel * parts) : 0;
    // If columns gather their sums, the scores of whole panels are stored.
    this.#scores = kernels.allocate(stageRows * (pass.scores ? this.count : byColumn ? panels * LANES : 0) * 8);
    runner.reserve(panels * parts);
  }

  /** Copies in vectors from index `first` on, and sets the sums to 0. */
  async begin(first: number, onStep: OnStep): Promise<void> {
    const d = this.#d;
    const { vectors, out } = this.#pass;
    const bytes = panelBytes(d, LANES);
    this.#first = first;
    this.#width = Math.min(this.count, this.#k - first);
    this.#panels = [];
    for (let at = 0; at < this.#width; at += LANES) {
      const width = Math.min(LANES, this.#width - at);
      const p = this.#panels.length;
      this.#panels.push({
        first: at,
        lanes: width > 4 ? 8 : width > 2 ? 4 : 2,
        width,
        start: vectors ? this.#room + p * bytes : 0,
        sums: out ? this.#sums + p * bytes * this.#parts : 0,
      });
    }
    if (vectors) {
      this.#runner.kernels
        .doubles(this.#lines, this.#width * d)
        .set(vectors.subarray(first * d, (first + this.#width) * d));
    }
    for (const { first: line, lanes, width, start, sums } of this.#panels) {
      const cleared = out ? panelBytes(d, lanes) * this.#parts : 0;
      const source = this.#lines + line * d * 8;
      if (vectors) this.#runner.addJob('sparsePack', source, d, lanes, width, this.#rest, start, sums, cleared);
      else this.#runner.addJob('sparsePack', 0, 0, 0, 0, 0, 0, sums, cleared);
    }
    await this.#runner.runJobs(() => onStep(0));
  }

  /** Adds the jobs of a stage. */
  work(stage: readonly Part[], addresses: readonly RowAddresses[]): void {
    const runner = this.#runner;
    const d = this.#d;
    const { vectors, scores, out } = this.#pass;
    if (scores && out) this.#moveScores(stage, scores, true);
    let y = this.#scores;
    stage.forEach(({ rows }, a) => {
      const { values, columns, starts, roots, byColumn } = addresses[a];
      for (const { first, lanes, width, start, sums } of this.#panels) {
        const z = sums + a * panelBytes(d, lanes);
        const row = y + first * 8;
        if (vectors && out && byColumn !== 0 && lanes === LANES) {
          const room = y + rows * first * 8;
          runner.addJob('sparseNormalByColumn', values, columns, starts, rows, roots, d, start, z, room, byColumn);
        } else if (vectors && out) {
          runner.addJob('sparseNormal', values, columns, starts, rows, roots, d, lanes, start, z);
        } else if (vectors) {
          runner.addJob('sparseScore', values, columns, starts, rows, roots, d, lanes, start, row, this.#width, width);
        } else {
          runner.addJob('sparseCollect', values, columns, starts, rows, roots, d, lanes, row, this.#width, width, z);
        }
      }
      y += rows * (scores ? this.#width : this.#panels.length * LANES) * 8;
    });
  }

  /** Copies out the scores of a stage, if the pass computes scores. */
  read(stage: readonly Part[]): void {
    const { scores, out } = this.#pass;
    if (scores && !out) this.#moveScores(stage, scores, false);
  }

  /** Adds the sums to `out`. */
  async end(onStep: OnStep): Promise<void> {
    const { out } = this.#pass;
    if (!out) return;
    const d = this.#d;
    for (const { first, lanes, width, sums } of this.#panels) {
      const target = this.#lines + first * d * 8;
      this.#runner.addJob(
        'sparseAddParts',
        sums,
        panelBytes(d, lanes),
        this.#parts,
        d,
        lanes,
        width,
        this.#rest,
        target,
      );
    }
    await this.#runner.runJobs(() => onStep(0));
    const found = this.#runner.kernels.doubles(this.#lines, this.#width * d);
    const start = this.#first * d;
    for (let i = 0; i < found.length; i++) out[start + i] += found[i];
  }

  /** Copies the scores of a stage's rows in or out, for the vectors in the buffers. */
  #moveScores(stage: readonly Part[], scores: Float64Array, inwards: boolean): void {
    const k = this.#k;
    const width = this.#width;
    const row = stage[0].first;
    const rows = stage.reduce((sum, part) => sum + part.rows, 0);
    const here = this.#runner.kernels.doubles(this.#scores, rows * width);
    // If the buffers hold only some of the k vectors, scores are copied row by row.
    const [count, length] = width === k ? [1, rows * k] : [rows, width];
    for (let i = 0; i < count; i++) {
      const there = (row + i) * k + this.#first;
      if (inwards) here.set(scores.subarray(there, there + length), i * length);
      else scores.set(here.subarray(i * length, (i + 1) * length), there);
    }
  }
}

/** Bytes of a panel: one line per column, and one for the shift. */
function panelBytes(d: number, lanes: number): number {
  return (d + 1) * lanes * 8;
}
