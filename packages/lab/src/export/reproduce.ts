import type { Fitted } from '../state/fit.js';
import { fileNameOf } from './data-file.js';

/** The same analysis in other words: as a command line, and as a program. */

export interface Analysis {
  readonly fitted: Fitted;
  readonly k: number;
}

export function commandLine({ fitted, k }: Analysis): string {
  const words = ['scree', 'fit', quote(fileNameOf(fitted.data)), '-k', String(k)];
  const { request } = fitted;
  const { columns } = fitted.data.facts;
  if (isChoice(fitted)) {
    words.push('--columns', quote(fitted.columns.map((place) => columns[place].name.replaceAll(',', ',,')).join(',')));
  }
  if (request.scale !== 'none') words.push('--scale', request.scale);
  if (fitted.incomplete > 0) words.push('--missing', request.missing);
  if (request.solver !== 'auto') words.push('--solver', request.solver);
  return [...words, '-o', 'model.json'].join(' ');
}

/** Whether the columns are others than those that are taken when nothing is said. */
function isChoice({ columns: used, data: { facts } }: Fitted): boolean {
  const usual = facts.columns.flatMap(({ usable, index, broken }, j) =>
    (usable && !index) || broken !== undefined ? [j] : [],
  );
  return used.length !== usual.length || used.some((place, i) => place !== usual[i]);
}

/** For a POSIX shell: nothing in a name is taken for anything but itself. */
function quote(text: string): string {
  return /^[\w./,@%+-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** As JSON, with signs that turn the direction of writing by their numbers: what is read is what runs. */
function literal(value: unknown): string {
  return JSON.stringify(value).replace(
    /\p{Bidi_Control}/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function program({ fitted, k }: Analysis): string {
  const { request } = fitted;
  const { columns } = fitted.data.facts;
  const file = [
    ...(isChoice(fitted) ? [`  columns: ${literal(fitted.columns.map((place) => columns[place].name))},`] : []),
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
    `const file = await openFile(${literal(fileNameOf(fitted.data))}${file.length > 0 ? `, {\n${file.join('\n')}\n}` : ''});`,
    `const model = await pca(file.source, { ${options.join(', ')} });`,
    'console.log(model.varianceRatios, model.warnings);',
    "await writeModel('model.json', model);",
    'await file.close();',
  ].join('\n');
}
