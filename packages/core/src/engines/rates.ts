import { type Block, identityFrame } from '../data/block.js';
import { random } from '../linalg/random.js';
import type { Engine, Rates } from './engine.js';

/** Sizes of the timed work: some milliseconds each, enough to use threads; smaller where an engine is slow. */
const PRODUCTS = { rows: 4096, cols: 512 };
const SLOW = { rows: 512, cols: 256 };
const SPARSE = { rows: 4000, cols: 1000, stored: 16, k: 20 };
/** Times that each is run; the fastest counts, because disturbances only make it slower. */
const RUNS = 3;

const measured = new WeakMap<Engine, Promise<Rates>>();

/**
 * How fast the engine is on this machine: measured on first use, in some tens of milliseconds, and cached. Rounded to
 * half powers of two, so that the same machine makes the same plans although timings vary.
 */
export function measureRates(engine: Engine): Promise<Rates> {
  let rates = measured.get(engine);
  if (!rates) {
    rates = measure(engine);
    measured.set(engine, rates);
  }
  return rates;
}

async function measure(engine: Engine): Promise<Rates> {
  const products = round(await timeProducts(engine));
  // The eigenproblem of a small matrix says little about a large one: it is assumed to scale like the rest.
  const eigen = engine.rates.eigen * (products / engine.rates.products);
  return { ...engine.rates, products, sparse: round(await timeSparse(engine)), eigen };
}

const none = (): void => {};

/** Billions of operations per second of `gram`. */
async function timeProducts(engine: Engine): Promise<number> {
  const { rows, cols } = engine.rates.products > 10 ? PRODUCTS : SLOW;
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < data.length; i++) data[i] = (Math.imul(i, 0x9e3779b1) >>> 0) / 2 ** 32 - 0.5;
  const frame = identityFrame(cols);
  const loaded = await engine.load({ kind: 'dense', rows, cols, stride: cols, data });
  const scatter = new Float64Array(cols * cols);
  const rate = await fastest(rows * cols * cols, () => loaded.gram(frame, scatter, none));
  loaded.release();
  return rate;
}

async function timeSparse(engine: Engine): Promise<number> {
  const { rows, cols, stored, k } = SPARSE;
  const { normal } = random(2);
  const block: Block = {
    kind: 'sparse',
    rows,
    cols,
    indptr: Int32Array.from({ length: rows + 1 }, (_, i) => i * stored),
    indices: Int32Array.from({ length: rows * stored }, (_, at) => {
      const step = Math.floor(cols / stored);
      return (at % stored) * step + ((Math.imul(at, 2654435761) >>> 16) % step);
    }),
    data: Float64Array.from({ length: rows * stored }, normal),
  };
  const frame = identityFrame(cols);
  const vectors = Float64Array.from({ length: k * cols }, normal);
  const out = new Float64Array(k * cols);
  const loaded = await engine.load(block);
  const rate = await fastest(4 * rows * stored * k, () => loaded.normal(frame, vectors, k, out, none));
  loaded.release();
  return rate;
}

async function fastest(operations: number, run: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    await run();
    best = Math.min(best, performance.now() - start);
  }
  return operations / best / 1e6;
}

function round(rate: number): number {
  return 2 ** (Math.round(2 * Math.log2(rate)) / 2);
}
