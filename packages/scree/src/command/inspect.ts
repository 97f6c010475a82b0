import type { NotComputed } from '@scree/analysis';
import { describeOrigin, plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { scoreNames } from '@scree/core/data';
import { readModel } from '../disk/model-file.js';
import { describeSummary, isSummaryFile, readSummary } from '../disk/summary-file.js';
import { createFile, formatOf, isTextFile, type OutputFormat } from '../disk/write-file.js';
import { checkOutput } from './check-output.js';
import type { Call } from './command.js';
import { warningWithFlags } from './describe-error.js';
import { columnCount, describeModel } from './describe-model.js';
import { asJson } from './model-json.js';
import { print, printLines } from './print.js';
import { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** `scree inspect`: what a stored model is. */
export async function run(call: Call): Promise<void> {
  const {
    positionals: [path],
    flags,
  } = call;
  if (flags['csv-safe'] && flags.output === undefined)
    throw new UsageError('--csv-safe says how --output is written, and there is none.');
  const output = flags.output === undefined ? undefined : await checkOutput(call);
  if (await isSummaryFile(path)) {
    if (output !== undefined)
      throw new UsageError(`-o writes components, and ${path} has none yet: scree fit ${path}.`);
    return inspectSummary(path, flags);
  }
  const model = await readModel(path);
  if (output !== undefined) {
    await writeComponents(model, output, flags['csv-safe'] === true);
    new Terminal({ quiet: flags.quiet === true }).note(
      `${plural(model.k, 'component')} of ${plural(model.d, 'column')}: ${output}`,
    );
  }
  if (flags.json) {
    print(`${JSON.stringify(asJson(model, { notComputed: notStored(model) }))}\n`);
    return;
  }
  const scaled = model.scale.some((scale) => scale !== 1);
  const facts = [
    `${plural(model.k, 'component')} of ${columnCount(model)}, ${describeOrigin(model)}`,
    model.centered ? 'centred' : 'not centred',
    ...(scaled && (model.coding?.method ?? 'pca') === 'pca'
      ? [model.scaling === undefined ? 'scaled' : `scaled (${model.scaling})`]
      : []),
    ...(model.whiten ? [`whitened (${model.whiten})`] : []),
  ];
  const names = model.columnNames;
  const shown = names && `${names.slice(0, 8).join(', ')}${names.length > 8 ? `, and ${names.length - 8} more` : ''}`;
  const columns = shown ? [`Columns: ${shown}`] : [];
  printLines([`${facts.join(', ')}.`, ...columns, model.plan.reason, '', ...describeModel(model, notStored(model))]);
}

/** `scree inspect` of moments: what was summed up. */
async function inspectSummary(path: string, flags: Call['flags']): Promise<void> {
  const { header, warnings } = await readSummary(path);
  if (flags.json) {
    print(`${JSON.stringify({ ...header, warnings })}\n`);
    return;
  }
  const { columnNames: names, parts, weighted, weight, dtype } = header;
  const shown = names && `${names.slice(0, 8).join(', ')}${names.length > 8 ? `, and ${names.length - 8} more` : ''}`;
  const most = 20;
  printLines([
    `${describeSummary(header, path)}, ${dtype}${weighted ? `, weights that add up to ${weight}` : ''}.`,
    ...(shown ? [`Columns: ${shown}`] : []),
    ...parts.slice(0, most).map(({ name, read, fingerprint }) => `  ${fingerprint}  ${plural(read, 'row')}  ${name}`),
    ...(parts.length > most ? [`  and ${plural(parts.length - most, 'part')} more`] : []),
    ...warnings.map((warning) => `Warning: ${warningWithFlags(warning, names)}`),
    `Next: scree fit ${path} -o model.json`,
  ]);
}

function notStored({ choice, stability }: Model): NotComputed {
  const why = { code: 'UNSUITABLE', message: 'The model was stored without it.' } as const;
  return { ...(choice ? {} : { choice: why }), ...(stability ? {} : { stability: why }) };
}

/** One component a row, one column of the data a column. */
async function writeComponents(
  { components, columnNames, k, d }: Model,
  path: string,
  csvSafe: boolean,
): Promise<void> {
  const label = isTextFile(formatOf(path) as OutputFormat) ? 'component' : undefined;
  const writer = await createFile(path, { cols: d, columnNames, label, csvSafe });
  const names = scoreNames(k);
  try {
    await writer.write({ rows: k, cols: d, data: components.data }, names);
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
