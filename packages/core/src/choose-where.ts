import type { Engine, Streaming } from './engines/engine.js';
import { OptionError } from './errors.js';
import { type Candidate, candidate, cheapest, type MachineRequest, type PlannedEngine, type Shape } from './plan.js';
import { SOLVERS } from './solvers/registry.js';

/**
 * The cheapest plan for rows on a cluster: passes that run there, by its declared rates, or here, on rows that come over the network. The
 * reason says what both would take.
 */
export function chooseWhere(
  { rows, cols, nonzeros, dtype, rereadable }: Shape,
  streaming: Streaming,
  request: Omit<MachineRequest, 'engine'>,
  engines: readonly [Engine, ...Engine[]],
): PlannedEngine {
  const { solver } = request;
  const shape = {
    ...(rows === undefined ? {} : { rows }),
    ...(nonzeros === undefined ? {} : { nonzeros }),
    ...(dtype === undefined ? {} : { dtype }),
    cols,
    rereadable,
    streaming,
  };
  const possible = engines.filter(({ remote }) => !remote || solver === 'auto' || SOLVERS[solver].remote);
  if (possible.length === 0) {
    throw new OptionError(
      'BAD_OPTION',
      `${solver} needs the rows here, and engine ${engines[0].name} computes where they are. Leave one of them out.`,
      { option: 'solver', value: solver },
    );
  }
  const candidates = possible.map((engine) => candidate(shape, { ...request, engine }));
  const best = cheapest(candidates);
  const { plan, engine } = best;
  const others = candidates.filter((each) => each.engine.remote !== engine.remote);
  const about = ({ seconds }: Candidate): string => `about ${Math.max(1, Math.round(seconds))} s`;
  const [there, here] = ['The passes run where the rows are', 'The rows are read over the network'];
  const where =
    others.length === 0 || best.seconds === 0
      ? engine.remote
        ? `${there}, on ${engine.name}.`
        : `${here}${solver !== 'auto' && !SOLVERS[solver].remote ? `, because ${solver} needs them here` : ''}.`
      : engine.remote
        ? `${there}, on ${engine.name}: ${about(best)}; reading the rows here would take ${about(cheapest(others))}.`
        : `${here}: ${about(best)}; passes on ${others[0].engine.name} would take ${about(cheapest(others))}.`;
  return { engine, plan: { ...plan, reason: `${plan.reason} ${where}` } };
}
