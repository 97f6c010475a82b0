import { readModel } from '../model-file.js';
import type { Call } from './command.js';
import { asJson } from './fit.js';
import { print } from './print.js';
import { tellModel } from './tell-model.js';

/** `scree inspect`: what a stored model is. */
export async function run({ words: [path], flags }: Call): Promise<void> {
  const model = await readModel(path);
  if (flags.json) {
    print(`${JSON.stringify(asJson(model, undefined))}\n`);
    return;
  }
  const scaled = model.scale.some((scale) => scale !== 1);
  const facts = [
    `${model.k} components of ${model.d} columns, fitted to ${model.n} rows`,
    model.centered ? 'centred' : 'not centred',
    ...(scaled ? ['scaled'] : []),
    ...(model.whiten ? [`whitened (${model.whiten})`] : []),
  ];
  const names = model.columnNames;
  const shown = names && `${names.slice(0, 8).join(', ')}${names.length > 8 ? `, and ${names.length - 8} more` : ''}`;
  print(
    `${[`${facts.join(', ')}.`, ...(shown ? [`Columns: ${shown}`] : []), model.plan.reason, '', tellModel(model)].join('\n')}\n`,
  );
}
