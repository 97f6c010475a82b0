import { count, plural } from '../describe/numbers.js';
import type { RecallInterval } from './interval.js';
import type { VectorStore } from './query/query-model.js';
import type { ReducedVectors, TriedVectors } from './reduced-vectors.js';

const STORES: Record<VectorStore, string> = { float32: 'float32', float16: 'float16', int8: 'int8', bit: 'one bit' };

/** A share with three digits, rounded down: ".951". Only a share of 1 is shown as 1. */
export const shareText = (share: number): string =>
  share === 1 ? '1' : (Math.floor(share * 1000 + 1e-9) / 1000).toFixed(3).replace(/^0/, '');

/** Recall with its interval: ".951 (95 % interval .944 to .957)". */
export function recallText({ value, low, high }: RecallInterval): string {
  return `${shareText(value)} (95 % interval ${shareText(low)} to ${shareText(high)})`;
}

/** The recommendation, its recall, and how it was measured. */
export function describeReduction(result: ReducedVectors): string[] {
  return [
    describeAdvice(result),
    describeRecall(result),
    describeSearch(result),
    ...describeReranking(result),
    describeQueries(result),
  ];
}

function describeAdvice({ advice, k, d, store, bytes, wanted, recall }: ReducedVectors): string {
  const numbers = `${plural(k, 'number')} of ${STORES[store]}, ${plural(bytes, 'byte')} per vector instead of ${count(4 * d)}`;
  switch (advice) {
    case 'reduce':
      return `Reduce ${count(d)} to ${count(k)} components: ${numbers}.`;
    case 'truncate':
      return `Take the first ${count(k)} of ${count(d)} numbers: ${numbers}. Components would not be much smaller.`;
    case 'quantise':
      return `Do not reduce: store all ${count(d)} numbers as ${STORES[store]}, ${plural(bytes, 'byte')} per vector instead of ${count(4 * d)}. Components would not be much smaller.`;
    case 'keep':
      return `Keep the vectors as they are: nothing smaller that was tried keeps ${shareText(wanted)} of the ${recall.at} nearest neighbours.`;
    case 'below':
      return `The recall is below ${shareText(wanted)}: this keeps the most with these options, ${numbers}.`;
    default:
      return advice satisfies never;
  }
}

function describeRecall({ recall, wanted, queries }: ReducedVectors): string {
  const short = recall.value < wanted ? ` This is below the ${shareText(wanted)} that was asked for.` : '';
  return `A search of the stored vectors finds ${recallText(recall)} of the ${recall.at} nearest neighbours, measured with ${count(queries.heldOut)} queries that chose nothing.${short}`;
}

function describeSearch({ search, metric, center, reduction }: ReducedVectors): string {
  const names = {
    cosine: 'cosine similarity',
    dot: 'inner product',
    l2: 'Euclidean distance',
    hamming: 'Hamming distance',
  };
  const mean = reduction === 'pca' ? `; the mean is ${center ? 'subtracted' : 'not subtracted'}` : '';
  const other = search === metric ? '' : `, not by ${names[metric]}`;
  return `Search them by ${names[search]}${other}${mean}.`;
}

function describeReranking({ reranked, recall, tried, bytes, wanted }: ReducedVectors): string[] {
  const own = `With re-ranking of ${5 * recall.at} candidates by the embeddings it finds ${recallText(reranked)}.`;
  const less = tried.find((each) => each.reranked >= wanted && each.bytes < bytes);
  if (!less) return [own];
  return [
    own,
    `If you re-rank anyway, a search of ${storedKind(less)} finds ${shareText(less.reranked)} with ${plural(less.bytes, 'byte')} per vector (on the queries that choose).`,
  ];
}

function describeQueries({ queries, rows }: ReducedVectors): string {
  const which = queries.drawn
    ? `${count(queries.count)} of the ${count(rows)} vectors, drawn at random and left out of the fit`
    : `the ${count(queries.count)} that were given`;
  return `Neighbours are exact, among all ${count(rows)} vectors. Queries are ${which}; ${count(queries.choosing)} of them chose.`;
}

/** "160 components as int8", "the first 512 numbers as float16". */
export function storedKind({ reduction, k, store }: Pick<TriedVectors, 'reduction' | 'k' | 'store'>): string {
  const as = store === 'bit' ? 'bits' : store;
  return reduction === 'pca' ? `${plural(k, 'component')} as ${as}` : `the first ${plural(k, 'number')} as ${as}`;
}
