import type { Engine, Rates, Streaming } from '../engines/engine.js';
import { OptionError } from '../errors.js';
import { type KnownShape, type Plan, type PlanRequest, planFor, type Shape } from '../plan.js';
import { CostModel, type EngineFacts } from '../solvers/cost-model.js';
import type { SolverName } from '../solvers/names.js';
import { SOLVERS } from '../solvers/registry.js';

/** The request of a fit, with the rates of an engine on this machine. */
export interface MachineRequest extends Omit<PlanRequest, 'engine'> {
  readonly engine: EngineFacts & {
    readonly machineRates?: Rates;
    readonly float32?: { readonly rates: Rates; readonly machineRates?: Rates } | undefined;
  };
}

/** A plan and its engine. */
export interface PlannedEngine {
  readonly plan: Plan;
  readonly engine: Engine;
}

export interface Candidate extends PlannedEngine {
  readonly seconds: number;
}

/** The plan of an engine, and its estimated seconds on this machine. */
export function candidate(shape: Shape, request: MachineRequest & { readonly engine: Engine }): Candidate {
  const plan = planFor(shape, request);
  return { engine: request.engine, plan, seconds: secondsHere(plan.solver, shape, request) };
}

/** The candidate with the fewest seconds; the first one of a tie. */
export function cheapest(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, other) => (other.seconds < best.seconds ? other : best));
}

/** Estimated seconds of a solver on all cores of this machine; 0 if they are unknown. */
function secondsHere(solver: SolverName, shape: Shape, request: MachineRequest): number {
  if (shape.rows === undefined) return 0;
  const { rates, machineRates = rates, float32, ...facts } = request.engine;
  const engine = {
    ...facts,
    rates: machineRates,
    float32: float32 && { rates: float32.machineRates ?? float32.rates },
  };
  const work = new CostModel(shape as KnownShape, { ...request, engine });
  const seconds = SOLVERS[solver].cost?.(work);
  return seconds === undefined ? 0 : seconds + work.upload;
}

/**
 * The cheapest plan for rows on a cluster. Passes run on the cluster, at the rates that its engine declares, or in this process,
 * on rows that are read over the network. The reason of the plan names the time of both.
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
