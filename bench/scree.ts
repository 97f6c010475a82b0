import { type CsrMatrix, type Matrix, type NumberArray, type PcaOptions, pca } from 'scree';
import type { Contender } from './contender.js';

/** scree as a contender: an engine that was asked for, is there and really runs. */
export interface ScreeEngine {
  readonly name: string;
  readonly threads: number;
  readonly options: PcaOptions;
}

/** The engines of `names` that work here; `skip` hears why another does not. */
export async function findEngines(
  names: readonly string[],
  threads: number,
  skip: (why: string) => void,
): Promise<ScreeEngine[]> {
  const engines: ScreeEngine[] = [];
  for (const name of names) {
    try {
      engines.push(await tryEngine(name, threads));
    } catch (error) {
      skip(`scree/${name} is left out: ${error instanceof Error ? error.message : error}`);
    }
  }
  return engines;
}

async function tryEngine(name: string, threads: number): Promise<ScreeEngine> {
  const tiny = { rows: 3, cols: 2, data: Float64Array.of(1, 2, 3, 5, 4, 1) };
  const options = { engine: name, threads } as PcaOptions;
  const { plan } = await pca(tiny, { ...options, k: 1 });
  if (plan.engine !== name) throw new Error(`${plan.engine} ran in its place`);
  return { name, threads, options };
}

/** scree on one engine; the plan chooses the solver unless one is given. */
export function scree(
  data: Matrix<NumberArray> | CsrMatrix,
  k: number,
  engine: ScreeEngine,
  solver?: NonNullable<PcaOptions['solver']>,
): Contender {
  return {
    name: `scree/${engine.name}${solver ? ` ${solver}` : ''}`,
    group: solver ? 'solver' : 'scree',
    engine: engine.name,
    async fit(repeat) {
      const options = { ...engine.options, k, ...(solver ? { solver } : {}) };
      const start = performance.now();
      let model = await pca(data, options);
      for (let i = 1; i < repeat; i++) model = await pca(data, options);
      const seconds = (performance.now() - start) / 1000 / repeat;
      const { variances, components, plan } = model;
      return { seconds, variances, components, solver: plan.solver, costs: plan.costs };
    },
  };
}
