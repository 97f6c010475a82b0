import type { Data, Model } from '@scree/core';
import { MemoryBudget } from '@scree/core/data';
import { random } from '@scree/core/linalg';
import { keepAlive, ProgressTracker } from '@scree/core/pipeline';
import { BatchEncoder } from './batch-encoder.js';
import { type Family, stepFor, storedNumbers, type VectorCandidate } from './candidates.js';
import {
  bestVariant,
  choose,
  firstCandidates,
  nearestToWanted,
  refinements,
  storesOf,
  type Trial,
  type Variant,
  variants,
} from './choose-candidate.js';
import { codeNumbers } from './code-numbers.js';
import { NeighbourSearch, type Neighbours, type Queries } from './exact-neighbours.js';
import { ApproximateScores, fitVectors, scoreFacts } from './fit-vectors.js';
import { meanOf, recallInterval } from './interval.js';
import { FamilyCounter, keyOf, type MeasuredVectors, measure, type QuerySet } from './measure.js';
import { VectorProducts } from './products.js';
import { codesFor, entriesOf } from './query/codes.js';
import type { QueryModel, VectorCode, VectorStore } from './query/query-model.js';
import type { Found } from './rank-counter.js';
import { checkReduceOptions, type ReduceSettings, type ReduceVectorsOptions } from './reduce-options.js';
import { ReducedVectors } from './reduced-vectors.js';
import { gatherRows, rowChunks } from './row-chunks.js';
import { chooseQueries, distinct, looseRows, type OpenVectors, openVectors, querySet } from './sample-queries.js';

/** Rows that the step of int8 is computed from. */
const STEP_SAMPLE = 1000;
/** Above this number of rows, the first measurement has fewer queries. */
const MANY_ROWS = 5000;
const FEW_QUERIES = 200;
/** For vectors of up to this width, all components are computed. For wider ones it is half of them, and this number at least. */
const ALL_COMPONENTS = 512;

/**
 * Reduces embeddings for a vector index: finds the fewest bytes per vector that keep the nearest neighbours. Tries components and plain
 * truncation, of every length, stored as float16, int8 and bits, and measures what a search of the *stored* vectors finds, against an exact
 * search of the embeddings. There is one fit; fewer components are the first ones. OpenVectors are read as float32.
 *
 * Half of the queries choose, and the recall and its interval come from the other half, because the best of many candidates looks better than
 * it is on the queries that chose it. Queries that are drawn from the vectors are left out of the fit.
 *
 * ```ts
 * const reduced = await reduceVectors(embeddings, { recall: 0.95 });
 * console.log(String(reduced)); // how many numbers, of which type, and what was tried
 * reduced.codes;                // the vectors to store
 * reduced.queryModel;           // bytes for loadQueryModel and encodeVector
 * ```
 */
export function reduceVectors(data: Data, options: ReduceVectorsOptions = {}): Promise<ReducedVectors> {
  return keepAlive(async () => {
    const settings = checkReduceOptions(options);
    const progress = new ProgressTracker(options);
    const vectors = await openVectors(data, progress);
    try {
      return await reduce(vectors, settings, progress);
    } finally {
      await vectors.source.close?.();
    }
  });
}

async function reduce(
  vectors: OpenVectors,
  settings: ReduceSettings,
  progress: ProgressTracker,
): Promise<ReducedVectors> {
  const queries = await chooseQueries(vectors, settings.queries, settings.seed, progress);
  const products = await VectorProducts.open(settings.threads, progress);
  const at = Math.min(settings.at, vectors.n - 1);
  const fitted = await fit(vectors, queries, settings, progress);
  const neighbours = await search(vectors, queries, settings, at, products, progress);
  const { sets, step } = await samples(vectors, queries, neighbours, fitted, settings, progress);
  const scores = new ApproximateScores(
    fitted.facts.components,
    fitted.facts,
    products,
    settings.metric === 'cosine',
    new MemoryBudget(settings.memory).share('results'),
  );
  const measured: MeasuredVectors = {
    ...{ source: vectors.source, metric: settings.metric, at, products, progress, facts: fitted.facts, step },
    scores: (chunk) => scores.of(chunk),
  };
  const { chosen, trials, reached } = await select(measured, sets, settings, fitted, vectors);
  const model = queryModelOf(chosen, vectors.source.cols, settings, fitted, step(chosen));
  const encoded = await encode(vectors, model, chosen, sets.heldOut, measured, settings);
  const shares = encoded.found.map(({ first }) => first / at);
  return new ReducedVectors({
    rows: vectors.n,
    ...{ model: chosen.reduction === 'pca' ? fitted.model.first(chosen.k) : undefined, query: model, chosen, reached },
    recall: recallInterval(shares, at),
    reranked: recallInterval(
      encoded.found.map(({ reranked }) => reranked / at),
      at,
    ),
    wanted: settings.recall,
    codes: encoded.codes,
    queries: {
      count: queries.count,
      choosing: sets.choosing.own.length,
      heldOut: sets.heldOut.own.length,
      drawn: typeof settings.queries !== 'object',
    },
    tried: trials.map(({ candidate, shares: own, reranked }) => ({
      candidate,
      recall: meanOf(own).mean,
      reranked: meanOf(reranked).mean,
      queries: own.length,
    })),
  });
}

/** A fitted model, and whether it is centred. */
interface Fitted {
  readonly model: Model;
  readonly center: boolean;
  readonly facts: ReturnType<typeof scoreFacts>;
}

async function fit(
  vectors: OpenVectors,
  { own }: Queries,
  settings: ReduceSettings,
  progress: ProgressTracker,
): Promise<Fitted> {
  const { source, n } = vectors;
  const without = new Set(own.filter((row) => row >= 0));
  // Inner products change their order if the mean is subtracted from the rows.
  const center = settings.center === 'auto' ? settings.metric !== 'dot' : settings.center;
  const d = source.cols;
  const wanted = settings.k ?? (d <= ALL_COMPONENTS ? d : Math.max(ALL_COMPONENTS, Math.ceil(d / 2)));
  const possible = Math.min(d, n - without.size - (center ? 1 : 0));
  const k = settings.k ?? Math.min(wanted, possible);
  const model = await fitVectors(vectors, without, k, center, settings, progress);
  return { model, center, facts: scoreFacts(model, center) };
}

async function search(
  { source }: OpenVectors,
  queries: Queries,
  { metric }: ReduceSettings,
  at: number,
  products: VectorProducts,
  progress: ProgressTracker,
): Promise<readonly Neighbours[]> {
  const found = new NeighbourSearch(queries, metric, at, products);
  for await (const chunk of rowChunks(source, progress, 'exact neighbours')) await found.add(chunk);
  return found.neighbours;
}

interface Sets {
  /** A part of the choosing queries, for the first measurement. */
  readonly few: QuerySet;
  readonly choosing: QuerySet;
  readonly heldOut: QuerySet;
}

/** Reads the neighbours of all queries and a sample of rows in one reading. */
async function samples(
  { source, n }: OpenVectors,
  queries: Queries,
  neighbours: readonly Neighbours[],
  { facts }: Fitted,
  { seed, metric, threads }: ReduceSettings,
  progress: ProgressTracker,
): Promise<{ readonly sets: Sets; readonly step: (family: Family) => number }> {
  const { d, count } = queries;
  const relevant = [...new Set(neighbours.flatMap(({ rows }) => rows))];
  const drawn = distinct(n, Math.min(n, STEP_SAMPLE), random(seed + 1).uniform);
  const all = await gatherRows(source, [...relevant, ...drawn], progress);
  const rows = { data: all, places: new Map(relevant.map((row, place) => [row, place])) };
  const half = Math.ceil(count / 2);
  const few = n > MANY_ROWS ? Math.min(half, FEW_QUERIES) : half;
  const sample = looseRows(all.subarray(relevant.length * d), d);
  const products = await VectorProducts.open(threads, progress);
  const cosine = metric === 'cosine';
  const scores = await new ApproximateScores(facts.components, facts, products, cosine, 0).of(sample);
  const unit = cosine
    ? sample.data.map((value, i) => value / (Math.sqrt(sample.squares[Math.floor(i / d)]) || 1))
    : sample.data;
  const steps = new Map<string, number>();
  const step = (family: Family): number => {
    if (family.store !== 'int8') return 1;
    const key = keyOf({ ...family, k: 0 });
    const known = steps.get(key);
    if (known !== undefined) return known;
    const pca = family.reduction === 'pca';
    const [numbers, width] = pca ? [scores, facts.mean.length] : [unit, d];
    const found = stepFor(
      storedNumbers({ ...family, store: 'float32' }, 1, numbers, width, width, pca ? facts : undefined),
    );
    steps.set(key, found);
    return found;
  };
  const set = (from: number, to: number): QuerySet => querySet(queries, neighbours, rows, from, to);
  return { sets: { few: set(0, few), choosing: set(0, half), heldOut: set(half, count) }, step };
}

interface Selection {
  readonly chosen: VectorCandidate;
  readonly trials: readonly Trial[];
  /** True if the chosen candidate keeps the wanted recall on the choosing queries. */
  readonly reached: boolean;
}

async function select(
  vectors: MeasuredVectors,
  { few, choosing }: Sets,
  settings: ReduceSettings,
  { center, model }: Fitted,
  { source }: OpenVectors,
): Promise<Selection> {
  const widths = { d: source.cols, most: model.k };
  const trials = new Map<string, Trial>();
  const run = async (
    candidates: readonly VectorCandidate[],
    set: QuerySet,
    phase: string,
  ): Promise<readonly number[]> => {
    const found = await measure(candidates, vectors, set, phase);
    return candidates.map((candidate, i) => {
      const trial = trialOf(candidate, found[i], vectors.at);
      trials.set(keyOf(candidate), trial);
      return meanOf(trial.shares).mean;
    });
  };
  const variant = await chooseVariants(settings, center, widths.most, (list) => run(list, few, 'comparing variants'));
  await run(firstCandidates(settings, variant, center, widths), few, 'measuring recall');
  if (settings.k === undefined) {
    const finer = refinements([...trials.values()], settings, widths.d);
    if (finer.length > 0) await run(finer, choosing, 'refining k');
  }
  const all = [...trials.values()];
  const best = choose(all, settings);
  if (best) return { chosen: best, trials: all, reached: true };
  if (settings.store === 'auto' && settings.k === undefined) {
    const chosen: VectorCandidate = {
      ...{ reduction: 'first', store: 'float32', k: widths.d, center: false, whiten: false },
      search: settings.metric,
    };
    return { chosen, trials: all, reached: true };
  }
  return { chosen: nearestToWanted(all, settings), trials: all, reached: false };
}

/** Measures the variants of every type but bits at one size, a quarter of the components, and returns the best of each type. */
async function chooseVariants(
  settings: ReduceSettings,
  fitted: boolean,
  most: number,
  run: (candidates: readonly VectorCandidate[]) => Promise<readonly number[]>,
): Promise<(store: VectorStore) => Variant> {
  const list = variants(settings, fitted);
  const stores: VectorStore[] = storesOf(settings).filter((store) => store !== 'bit');
  if (list.length === 1 || stores.length === 0) return () => list[0];
  const k = settings.k ?? Math.min(most, Math.max(32, most >> 2));
  const recalls = await run(
    stores.flatMap((store) => list.map((variant) => ({ reduction: 'pca' as const, store, k, ...variant }))),
  );
  const best = stores.map((_, i) => bestVariant(list, recalls.slice(i * list.length, (i + 1) * list.length)));
  return (store) => best[stores.indexOf(store)];
}

function trialOf(candidate: VectorCandidate, found: readonly Found[], at: number): Trial {
  return {
    candidate,
    shares: found.map(({ first }) => first / at),
    reranked: found.map(({ reranked }) => reranked / at),
  };
}

/** The rule of the stored vectors of a candidate. */
function queryModelOf(
  { reduction, k, store, search, center, whiten }: VectorCandidate,
  d: number,
  { metric }: ReduceSettings,
  { facts }: Fitted,
  step: number,
): QueryModel {
  const pca = reduction === 'pca';
  return {
    ...{ d, k, metric, store, search, step },
    components: pca ? facts.components.slice(0, k * d) : undefined,
    offset: pca && center ? facts.mean.slice(0, k) : new Float64Array(k),
    weights: pca && whiten ? facts.weights.slice(0, k) : undefined,
  };
}

/** The stored vectors of all rows, and what a search of them finds. */
async function encode(
  { source, n }: OpenVectors,
  model: QueryModel,
  family: VectorCandidate,
  set: QuerySet,
  vectors: MeasuredVectors,
  { write }: ReduceSettings,
): Promise<{ readonly codes: VectorCode | undefined; readonly found: readonly Found[] }> {
  const { k, store } = model;
  const encoder = new BatchEncoder(model, vectors.products);
  let last: VectorCode | undefined;
  const numbers = async (chunk: Parameters<BatchEncoder['encode']>[0]): Promise<Float32Array> => {
    last = await encoder.encode(chunk);
    return codeNumbers(store, last, chunk.rows, k);
  };
  const counter = await FamilyCounter.open(family, [k], numbers, vectors, set);
  const codes = write ? undefined : codesFor(store, k, n);
  for await (const chunk of rowChunks(source, vectors.progress, 'storing vectors')) {
    await counter.add(chunk);
    const some = last as VectorCode;
    if (write) await write(some, chunk.rows, model);
    else codes?.set(some, chunk.first * entriesOf(store, k));
  }
  return { codes, found: [...counter.found().values()][0] };
}
