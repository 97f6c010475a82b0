import { betweenJson, fitSummary, type NotComputed, type TableFit, type TableFitOptions } from '@scree/analysis';
import { describeBetween, describeRobust } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { DEFAULT_MEMORY } from '@scree/files';
import { showBytes } from '@scree/files/platform';
import { isSparkUrl } from '../cluster/spark-url.js';
import { isServerUrl } from '../database/postgres-url.js';
import { removeFile } from '../disk/atomic-file.js';
import type { OpenOptions } from '../disk/index.js';
import { writeModel } from '../disk/model-file.js';
import { checkTarget, isSameFile } from '../disk/output-target.js';
import { describeSummary } from '../disk/summary-file.js';
import { formatOf } from '../disk/write-file.js';
import { robustOf } from './analyze-file.js';
import { byGroup } from './by-group.js';
import { checkEnding, checkTable } from './check-output.js';
import { identityOf, momentsWithCheckpoint } from './checkpoint.js';
import { CheckpointLock, lockPath } from './checkpoint-lock.js';
import type { Call } from './command.js';
import { columnsWanted } from './computed-columns.js';
import { describeModel } from './describe-model.js';
import { fitCovarianceFile } from './fit-covariance.js';
import { fitFile } from './fit-file.js';
import { fitOptions } from './fit-options.js';
import { summaryOf, summaryOptions } from './fit-summary.js';
import { encodingFlag, groupColumns, methodOf } from './method.js';
import { asJson } from './model-json.js';
import { print, printLines } from './print.js';
import { duration, Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { withData } from './with-data.js';
import { writeComputed } from './write-computed.js';

/** `scree fit`: a model of a data file. */
export async function run(call: Call): Promise<void> {
  const { positionals, flags } = call;
  if (flags.every !== undefined && flags.checkpoint === undefined) {
    throw new UsageError('--every says how often --checkpoint saves: use it with --checkpoint FILE.');
  }
  const options = fitOptions(flags);
  methodOf(flags);
  robustOf(flags);
  const { output, checkpoint } = flags;
  if (checkpoint !== undefined && positionals.some(isSparkUrl))
    throw new UsageError('--checkpoint is not for tables on Spark, whose rows have no order: leave it out.');
  const scores = await scoresTarget(call);
  const encoding = encodingFlag(flags);
  if (checkpoint !== undefined && encoding)
    throw new UsageError(
      `--checkpoint saves sums of the numbers in a file, and ${encoding} analyses others. Leave one of them out.`,
    );
  if (typeof output === 'string' && formatOf(output)) {
    throw new UsageError(
      `${output} would be a table, and fit writes a model: -o model.json. Scores go to --scores ${output}, and scree inspect model.json -o ${output} writes the components.`,
    );
  }
  checkEnding(output, 'model');
  const terminal = new Terminal({ quiet: flags.quiet === true });
  if (flags.covariance !== undefined) {
    if (typeof output === 'string') await checkTarget(output, [flags.covariance as string]);
    const fitted = await fitCovarianceFile(call, terminal);
    if (typeof output === 'string') await writeModel(output, fitted.model);
    return printJson(report(call, fitted, terminal));
  }
  if (flags.rows !== undefined)
    throw new UsageError(
      '--rows says how many rows a covariance matrix was computed from: use it with --covariance FILE.',
    );
  if (flags.by !== undefined)
    return byGroup(call, terminal, (each, only) => fit(each, options, undefined, undefined, only));
  // Before the fit: it may take hours.
  for (const target of [output, checkpoint]) if (typeof target === 'string') await checkTarget(target, positionals);
  const summary = await summaryOf(call, terminal);
  if (summary && scores)
    throw new UsageError('--scores needs rows, and moments have none: leave it out, or give the data.');
  if (summary) {
    if (flags.robust !== undefined)
      throw new UsageError('--robust needs the rows, and moments do not have them. Fit the data themselves.');
    const options = summaryOptions(summary, call, terminal);
    terminal.note(describeSummary(summary.header, positionals[0]));
    const fitted = await fitSummary(summary, { ...options, criteria: 'quick' });
    terminal.clear();
    if (typeof output === 'string') await writeModel(output, fitted.model);
    return printJson(report(call, fitted, terminal));
  }
  if (typeof checkpoint !== 'string') return printJson(await fit(call, options, scores));
  if (typeof output === 'string') await checkApart(checkpoint, output);
  const lock = await CheckpointLock.acquire(checkpoint);
  try {
    printJson(await fit(call, options, scores, { path: checkpoint, lock }));
  } finally {
    await lock.release();
  }
}

/** A checkpoint and its lock are deleted in the end, so the model must not be the same file, not even through links. */
async function checkApart(checkpoint: string, output: string): Promise<void> {
  if ((await isSameFile(checkpoint, output)) || (await isSameFile(await lockPath(checkpoint), output))) {
    throw new UsageError(
      '--checkpoint and --output name the same file: a checkpoint and its lock are deleted when the model is there.',
    );
  }
}

function printJson(found: object | undefined): void {
  if (found) print(`${JSON.stringify(found)}\n`);
}

/** Fits all rows, or the rows of a group. Returns the JSON of --json, or prints the result. */
async function fit(
  call: Call,
  options: TableFitOptions,
  scores?: string,
  checkpoint?: { readonly path: string; readonly lock: CheckpointLock },
  only?: OpenOptions['only'],
): Promise<object | undefined> {
  const { positionals, flags, signal } = call;
  const [path] = positionals;
  const { output } = flags;
  const terminal = new Terminal({ quiet: flags.quiet === true });
  const fitted = await withData(call, terminal, { only, groups: groupColumns(flags) }, async (file) => {
    if (checkpoint) checkCheckpoint(options, file.source.cols, (flags.memory as number | undefined) ?? DEFAULT_MEMORY);
    const saving = checkpoint && {
      ...checkpoint,
      every: (flags.every as number | undefined) ?? 10,
      identity: await identityOf(positionals, flags, file.columns, options),
      compare: path === undefined || path === '-' || isServerUrl(path) || flags.sql !== undefined,
      options,
      terminal,
      signal,
    };
    const found = await fitFile(file, call, terminal, {
      read: saving && (async () => momentsWithCheckpoint(file, { ...saving, weights: await file.weights() })),
      asks: true,
    });
    if (typeof output === 'string') await writeModel(output, found.model);
    if (checkpoint) {
      await checkpoint.lock.confirm();
      // On a disk that ignores case, A and a are the same file.
      if (typeof output !== 'string' || !(await isSameFile(checkpoint.path, output))) await removeFile(checkpoint.path);
      await checkpoint.lock.release();
    }
    return found;
  });
  const found = report(call, fitted, terminal);
  const wanted = columnsWanted(flags);
  if (scores) await writeComputed(fitted.model, { paths: positionals, output: scores, wanted }, call, terminal);
  return found;
}

/** The file that --scores names, checked; undefined if there is none. Throws if the scores cannot be written. */
async function scoresTarget(call: Call): Promise<string | undefined> {
  const { positionals, flags } = call;
  const { scores, output, checkpoint } = flags;
  if (typeof scores !== 'string') {
    const flag = ['append', 'with', 'csv-safe'].find((name) => flags[name] !== undefined && flags[name] !== false);
    if (flag) throw new UsageError(`--${flag} is about the file of scores: use it with --scores FILE.`);
    return undefined;
  }
  const without = ['by', 'between', 'covariance'].find((name) => flags[name] !== undefined);
  if (without) throw new UsageError(`--scores is for one fit to rows: leave --${without} out.`);
  if (positionals.some(isSparkUrl))
    throw new UsageError('--scores writes a file here. For a table on Spark, use scree transform --into.');
  if (positionals.includes('-'))
    throw new UsageError('--scores reads the data once more, after the fit: save standard input to a file.');
  await checkTable(scores, call);
  for (const other of [output, checkpoint]) {
    if (typeof other === 'string' && (other === scores || (await isSameFile(other, scores))))
      throw new UsageError(`--scores and another output name the same file: ${scores}.`);
  }
  return scores;
}

type Fitted = Pick<TableFit, 'model' | 'seconds' | 'notComputed'> & Partial<Pick<TableFit, 'between'>>;

/** Prints the result and the path of the model. With --json, returns the JSON instead. */
function report({ flags }: Call, fitted: Fitted, terminal: Terminal): object | undefined {
  const { output } = flags;
  const { model, seconds, notComputed, between } = fitted;
  if (!flags.json) {
    printLines(describeFit(model, seconds, flags.explain === true, notComputed));
    if (between) printLines([describeBetween(between)]);
  }
  if (typeof output === 'string') terminal.note(`The model: ${output}`);
  else if (!flags.json) terminal.note('The model was not saved: use -o model.json to save it.');
  const threads = flags.threads as number | undefined;
  return flags.json
    ? { ...asJson(model, { seconds, threads, notComputed }), ...(between ? { between: betweenJson(between) } : {}) }
    : undefined;
}

/** Number of cols × cols matrices that are in memory at once: the sums of all rows, of a group and of a block, and the bytes to save. */
const SQUARES = 4;

/** A checkpoint holds the covariance. Solvers that do not use it read the file many times and have nothing to save. */
function checkCheckpoint({ solver = 'auto' }: TableFitOptions, cols: number, memory: number): void {
  if (solver !== 'auto' && solver !== 'covariance') {
    throw new UsageError(
      `--checkpoint saves the covariance, and --solver ${solver} does not use it: leave --solver out, or leave --checkpoint out.`,
    );
  }
  const bytes = SQUARES * 8 * cols * cols;
  if (bytes <= memory) return;
  throw new UsageError(
    `--checkpoint saves the covariance, which takes ${showBytes(bytes)} for ${cols} columns, and --memory is ${showBytes(memory)}: allow that much, choose fewer columns with --columns, or leave --checkpoint out.`,
  );
}

function describeFit(model: Model, seconds: number, explain: boolean, notComputed: NotComputed): string[] {
  const costs = Object.entries(model.plan.costs).map(
    ([name, cost]) => `  ${name.padEnd(12)} ${duration(cost as number)}`,
  );
  return [
    `${model.plan.reason} (${model.robust ? '' : `${model.plan.solver} on ${model.plan.engine}, `}${duration(seconds)})`,
    ...(explain && costs.length > 0
      ? [
          `Predicted time of every solver, on ${model.plan.engine === 'spark' ? "Spark's executors" : 'four cores'}:`,
          ...costs,
        ]
      : []),
    ...(model.robust ? [describeRobust(model.robust, model.n)] : []),
    '',
    ...describeModel(model, notComputed),
  ];
}
