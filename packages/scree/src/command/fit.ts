import { availableParallelism } from 'node:os';
import { DEFAULT_MEMORY } from '../files/options.js';
import { type Model, type PcaOptions, pca } from '../index.js';
import { writeModel } from '../model-file.js';
import { dropCheckpoint, identityOf, momentsWithCheckpoint } from './checkpoint.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { countRows, withFile } from './opened.js';
import { tellModel } from './tell-model.js';
import { duration, Narrator } from './terminal.js';
import { UsageError } from './usage-error.js';

/** `scree fit`: a model of a data file. */
export async function run({ words: [path], flags, signal }: Call): Promise<void> {
  const options = fitOptions(flags);
  const narrator = new Narrator({ quiet: flags.quiet === true });
  await withFile(path, fileOptions(flags), async (file) => {
    await countRows(file, signal);
    narrator.say(file.describe());
    const weights = await file.weights();
    const start = performance.now();
    const { onProgress } = narrator;
    const checkpoint = typeof flags.checkpoint === 'string' ? flags.checkpoint : undefined;
    if (checkpoint) checkCheckpoint(options, weights);
    const data = checkpoint
      ? await momentsWithCheckpoint(file, {
          path: checkpoint,
          every: (flags.every as number | undefined) ?? 10,
          identity: await identityOf(path, flags, file.columns),
          options,
          narrator,
          signal,
        })
      : file.source;
    const memory = (flags.memory as number | undefined) ?? DEFAULT_MEMORY;
    const model = await pca(data, { ...options, ...(weights ? { weights } : {}), memory, onProgress, signal });
    const seconds = (performance.now() - start) / 1000;
    narrator.clear();
    if (typeof flags.output === 'string') await writeModel(flags.output, model);
    if (checkpoint) await dropCheckpoint(checkpoint);
    if (flags.json) {
      process.stdout.write(`${JSON.stringify(asJson(model, seconds, options))}\n`);
    } else {
      process.stdout.write(`${tellFit(model, seconds, flags.explain === true)}\n`);
    }
    if (typeof flags.output === 'string') narrator.say(`The model: ${flags.output}`);
    else if (!flags.json) narrator.say('Nothing was written: -o model.json keeps the model.');
  });
}

/** What is saved on the way is the covariance, of rows that count once each. */
function checkCheckpoint({ solver = 'auto' }: PcaOptions, weights: unknown): void {
  if (solver !== 'auto' && solver !== 'covariance') {
    throw new UsageError(
      `--checkpoint saves the covariance, which --solver ${solver} does not use. Leave one of them out.`,
    );
  }
  if (weights) throw new UsageError('--checkpoint and --weight exclude one another.');
}

/** What the flags say about the fit. */
export function fitOptions(flags: Readonly<Record<string, unknown>>): PcaOptions {
  const counts = ['components', 'variance', 'all'].filter((name) => flags[name] !== undefined);
  if (counts.length > 1) throw new UsageError(`--${counts[0]} and --${counts[1]} exclude one another.`);
  const k = flags.all ? 'all' : (flags.components ?? flags.variance);
  const named = ['scale', 'whiten', 'ddof', 'solver', 'engine', 'threads', 'seed', 'tolerance']
    .filter((name) => flags[name] !== undefined)
    .map((name) => [name, flags[name]]);
  return {
    ...Object.fromEntries(named),
    ...(k === undefined ? {} : { k: k as number | 'all' }),
    ...(flags['no-center'] ? { center: false } : {}),
  };
}

function tellFit(model: Model, seconds: number, explain: boolean): string {
  const costs = Object.entries(model.plan.costs).map(
    ([name, cost]) => `  ${name.padEnd(12)} ${duration(cost as number)}`,
  );
  return [
    `${model.plan.reason} (${model.plan.solver} on ${model.plan.engine}, ${duration(seconds)})`,
    ...(explain && costs.length > 0 ? ['What every road was expected to take:', ...costs] : []),
    '',
    tellModel(model),
  ].join('\n');
}

/** What programs get: every number of the model under its own name. */
export function asJson(model: Model, seconds: number | undefined, { threads }: PcaOptions = {}): object {
  const { rows: k, cols: d, data } = model.components;
  return {
    n: model.n,
    d,
    k,
    variances: Array.from(model.variances),
    varianceRatios: Array.from(model.varianceRatios),
    totalVariance: model.totalVariance,
    singularValues: Array.from(model.singularValues),
    mean: Array.from(model.mean),
    scale: Array.from(model.scale),
    components: Array.from({ length: k }, (_, r) => Array.from(data.subarray(r * d, (r + 1) * d))),
    ...(model.columnNames ? { columnNames: model.columnNames } : {}),
    centered: model.centered,
    whiten: model.whiten,
    ddof: model.ddof,
    solver: model.plan.solver,
    engine: model.plan.engine,
    ...(seconds === undefined ? {} : { threads: threads ?? availableParallelism(), seconds }),
    reason: model.plan.reason,
    warnings: model.warnings,
    certificate: model.certificate,
    uniqueness: model.uniqueness,
  };
}
