import type { Fitted } from '../state/fit.js';
import { fileNameOf } from './data-file.js';

/** The same analysis as a command line and as a program. */

export interface ReproducedFit {
  readonly fitted: Fitted;
  readonly k: number;
}

export function commandLine({ fitted, k }: ReproducedFit): string {
  const args = ['scree', 'fit', quote(fileNameOf(fitted.data)), '-k', String(k)];
  const { request } = fitted;
  const { columns } = fitted.data.info;
  if (differsFromDefault(fitted)) {
    args.push('--columns', quote(fitted.columns.map((column) => columns[column].name.replaceAll(',', ',,')).join(',')));
  }
  if (request.scale !== 'none') args.push('--scale', request.scale);
  if (fitted.incompleteRows > 0) args.push('--missing', request.missing);
  if (request.solver !== 'auto') args.push('--solver', request.solver);
  return [...args, '-o', 'model.json'].join(' ');
}

/** True if the chosen columns differ from the columns that the command fits by default. */
function differsFromDefault({ columns: used, data: { info } }: Fitted): boolean {
  const usual = info.columns.flatMap(({ usable, index, firstNonNumber }, j) =>
    (usable && !index) || firstNonNumber !== undefined ? [j] : [],
  );
  return used.length !== usual.length || used.some((column, i) => column !== usual[i]);
}

/** Quotes text for a POSIX shell. */
function quote(text: string): string {
  return /^[\w./,@%+-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** As JSON, with bidirectional control characters escaped, so that the code reads as it runs. */
function literal(value: unknown): string {
  return JSON.stringify(value).replace(
    /\p{Bidi_Control}/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function program({ fitted, k }: ReproducedFit): string {
  const { request } = fitted;
  const { columns } = fitted.data.info;
  const file = [
    ...(differsFromDefault(fitted)
      ? [`  columns: ${literal(fitted.columns.map((column) => columns[column].name))},`]
      : []),
    ...(fitted.incompleteRows > 0 ? [`  missing: '${request.missing}',`] : []),
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
