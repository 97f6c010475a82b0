import type { RemoteReference, RowSource } from '../data/blocks/row-source.js';
import { availableEngines, type EngineRequest } from './choose.js';
import type { Engine, LoadedBlock, Streaming } from './engine.js';

/** Rows on a cluster: an engine whose passes run there, and the rows as it has loaded them, by reference. */
export interface RemoteRows extends RemoteReference {
  /** The engine. Other blocks, of vectors for example, it loads and computes with on this machine. */
  readonly executors: Engine;
  /** All rows as one loaded block. How many there are is known when they were summed up. */
  load(): LoadedBlock;
  /** How fast `blocks()` brings rows to this machine. */
  readonly streaming: Streaming;
}

/** The rows of a source where they are kept, unless they are on this machine. */
export function remoteRows({ remote }: Pick<RowSource, 'remote'>): RemoteRows | undefined {
  return remote as RemoteRows | undefined;
}

/** The rows of a source where they are kept, if this engine computes there. */
export function remoteRowsFor(source: RowSource, engine: Engine): RemoteRows | undefined {
  const remote = remoteRows(source);
  return remote?.executors === engine ? remote : undefined;
}

/** The engines that can read a source, probably fastest first: where its rows are, if that is elsewhere, then here. */
export async function enginesFor(
  source: RowSource,
  request: EngineRequest & { readonly weights?: unknown },
  numbers?: number,
): Promise<readonly [Engine, ...Engine[]]> {
  const remote = remoteRows(source);
  // Weights are on this machine.
  if (!remote || request.weights !== undefined) return availableEngines(request, numbers);
  const { engine = 'auto' } = request;
  if (engine === remote.engine) return [remote.executors];
  const own = await availableEngines(request, numbers);
  return engine === 'auto' ? [remote.executors, ...own] : own;
}
