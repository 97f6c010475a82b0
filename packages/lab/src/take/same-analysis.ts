import type { Fitted } from '../state/fit.js';

/** The same analysis in other words: as a command line, and as a program. */

export interface Analysis {
  readonly fitted: Fitted;
  readonly k: number;
}

/** The file the command reads; built-in data have to be saved first, so their name stands for them. */
export function commandLine({ fitted, k }: Analysis): string {
  const words = ['scree', 'fit', quote(fitted.data.facts.name), '-k', String(k)];
  const { request } = fitted;
  const { columns } = fitted.data.facts;
  const usable = columns.filter(({ usable: may }) => may).length;
  if (fitted.columns.length < usable) {
    words.push('--columns', quote(fitted.columns.map((place) => columns[place].name.replaceAll(',', ',,')).join(',')));
  }
  if (request.scale !== 'none') words.push('--scale', request.scale);
  if (fitted.incomplete > 0) words.push('--missing', request.missing);
  if (request.solver !== 'auto') words.push('--solver', request.solver);
  return [...words, '-o', 'model.json'].join(' ');
}

/** For a POSIX shell: nothing in a name is taken for anything but itself. */
function quote(text: string): string {
  return /^[\w./,@%+-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function program({ fitted, k }: Analysis): string {
  const { request } = fitted;
  const { columns, name } = fitted.data.facts;
  const usable = columns.filter(({ usable: may }) => may).length;
  const file = [
    ...(fitted.columns.length < usable
      ? [`  columns: ${JSON.stringify(fitted.columns.map((place) => columns[place].name))},`]
      : []),
    ...(fitted.incomplete > 0 ? [`  missing: '${request.missing}',`] : []),
  ];
  const options = [
    `k: ${k}`,
    ...(request.scale === 'none' ? [] : [`scale: '${request.scale}'`]),
    ...(request.solver === 'auto' ? [] : [`solver: '${request.solver}'`]),
  ];
  return [
    "import { openFile, pca, writeModel } from 'scree';",
    '',
    `const file = await openFile(${JSON.stringify(name)}${file.length > 0 ? `, {\n${file.join('\n')}\n}` : ''});`,
    `const model = await pca(file.source, { ${options.join(', ')} });`,
    'console.log(model.varianceRatios, model.warnings);',
    "await writeModel('model.json', model);",
    'await file.close();',
  ].join('\n');
}
