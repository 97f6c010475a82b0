import type { RemoteReference, RowSource } from '../data/blocks/row-source.js';
import { availableEngines, type EngineRequest } from './choose.js';
import type { Engine, LoadedBlock, Streaming } from './engine.js';

/** Rows on a cluster: an engine whose passes run there, and a reference to the rows that it has loaded. */
export interface RemoteRows extends RemoteReference {
  /** The engine. It multiplies other blocks, of vectors for example, on this machine. */
  readonly executors: Engine;
  /** All rows as one loaded block. Their number is known after `summarise`. */
  load(): LoadedBlock;
  /** The speed at which `blocks()` reads rows to this machine. */
  readonly streaming: Streaming;
}

/** Returns the rows on a cluster, or undefined if they are on this machine. */
export function rowsOnCluster({ remote }: Pick<RowSource, 'remote'>): RemoteRows | undefined {
  return remote as RemoteRows | undefined;
}

/** Returns the rows on a cluster, if this engine computes there. */
export function remoteRowsFor(source: RowSource, engine: Engine): RemoteRows | undefined {
  const remote = rowsOnCluster(source);
  return remote?.executors === engine ? remote : undefined;
}

/** Returns the engines that can read a source, probably fastest first: the cluster that stores its rows, if there is one, then this machine. */
export async function enginesFor(
  source: RowSource,
  request: EngineRequest & { readonly weights?: unknown },
  numbers?: number,
): Promise<readonly [Engine, ...Engine[]]> {
  const remote = rowsOnCluster(source);
  // Weights are on this machine.
  if (!remote || request.weights !== undefined) return availableEngines(request, numbers);
  const { engine = 'auto' } = request;
  if (engine === remote.engine) return [remote.executors];
  const own = await availableEngines(request, numbers);
  return engine === 'auto' ? [remote.executors, ...own] : own;
}
