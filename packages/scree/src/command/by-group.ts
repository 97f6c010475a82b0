import { join } from 'node:path';
import { count, listed, plural } from '@scree/analysis/describe';
import type { OpenOptions } from '../disk/index.js';
import { checkFolder, checkTarget } from '../disk/output-target.js';
import { squeezed } from '../report/plain-text.js';
import type { Call } from './command.js';
import { fileOptions } from './data-flags.js';
import { refuseOnSpark } from './method.js';
import { print, printLines } from './print.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { withFile } from './with-file.js';

/** Most groups that get a model each: more values than this are names of rows, or of a column of numbers measurements. */
const MOST_GROUPS = 100;
const MOST_NUMBERS = 20;
/** A group of fewer rows has no components worth a model. */
const FEWEST_ROWS = 3;
/** Characters of a group's name in what is printed. */
const LONGEST_SHOWN = 200;

export interface Group {
  readonly level: string;
  readonly rows: number;
}

/** Does the work of a command for one group: the call with the outputs of the group, and which rows to read. The JSON of --json. */
export type ForGroup = (call: Call, only: NonNullable<OpenOptions['only']>) => Promise<object | undefined>;

/**
 * `--by COLUMN`: the command once per group of rows. Outputs get the group's name; JSON is one object with a list. A command that prints
 * what it found gets a heading for every group.
 */
export async function byGroup(
  call: Call,
  terminal: Terminal,
  run: ForGroup,
  { headings = !call.flags.json }: { readonly headings?: boolean } = {},
): Promise<void> {
  const { positionals, flags } = call;
  refuseOnSpark(call);
  const column = flags.by as string;
  const { groups, few, without } = await findGroups(call, column);
  const slugs = fileNames(groups.map(({ level }) => level));
  const calls = groups.map((_, g): Call => ({ ...call, flags: groupFlags(flags, slugs[g]) }));
  // Before any fit: all of them may take hours.
  for (const each of calls) {
    if (typeof each.flags.output === 'string') await checkTarget(each.flags.output, positionals);
    for (const folder of [flags.tables, flags.figures]) if (typeof folder === 'string') await checkFolder(folder);
  }
  const notes = [
    ...(few.length === 0
      ? []
      : [
          `Left out, with fewer than ${FEWEST_ROWS} rows: ${listed(few.map(({ level }) => squeezed(level, LONGEST_SHOWN)))}.`,
        ]),
    ...(without === 0
      ? []
      : [`${plural(without, 'row')} without a value of ${column} ${without === 1 ? 'was' : 'were'} left out.`]),
  ];
  for (const note of notes) terminal.note(note);
  const found: object[] = [];
  for (const [g, { level, rows }] of groups.entries()) {
    const shown = squeezed(level, LONGEST_SHOWN);
    if (headings) printLines([...(g === 0 ? [] : ['']), `── ${column} = ${shown} (${plural(rows, 'row')}) ──`, '']);
    const result = await run(calls[g], { column, level }).catch((error: unknown) => {
      terminal.note(`${column} = ${shown}:`);
      throw error;
    });
    found.push({ level, ...result });
  }
  if (flags.json) print(`${JSON.stringify({ by: column, groups: found, leftOut: few, withoutGroup: without })}\n`);
}

/** Rows of the whole file are not rows of a group. */
export function refuseRowsApart(flags: Call['flags']): void {
  if (flags['supplementary-rows'] === undefined) return;
  throw new UsageError(
    '--supplementary-rows counts the rows of the whole file, and --by divides them. Leave one of them out.',
  );
}

/** The groups of the rows in the order of their names, numbers by size; those of few rows apart. */
async function findGroups(
  { positionals, flags, signal }: Call,
  column: string,
): Promise<{ groups: Group[]; few: Group[]; without: number }> {
  if (positionals.includes('-'))
    throw new UsageError('--by reads the rows more than once: save standard input to a file first.');
  const {
    label: _,
    color: __,
    name: ___,
    missing: ____,
    columns: _____,
    exclude: ______,
    ...options
  } = fileOptions(flags, signal);
  const { names, codes, numbers } = await withFile(
    positionals,
    { ...options, name: column, categories: true },
    (file) => file.labels({ most: MOST_GROUPS + 1 }),
  );
  const most = numbers ? MOST_NUMBERS : MOST_GROUPS;
  if (names.length > most || codes.includes(-2)) {
    const what = numbers
      ? 'these are measurements rather than groups. Divide them into a few classes first'
      : 'these are names of rows rather than of groups';
    throw new UsageError(`--by ${column} has more than ${most} different values: ${what}.`);
  }
  const sizes = new Array<number>(names.length).fill(0);
  let without = 0;
  for (const code of codes) {
    if (code >= 0) sizes[code]++;
    else without++;
  }
  const all = names.map((level, g) => ({ level, rows: sizes[g] }));
  all.sort(numbers ? (a, b) => Number(a.level) - Number(b.level) : (a, b) => (a.level < b.level ? -1 : 1));
  const groups = all.filter(({ rows }) => rows >= FEWEST_ROWS);
  if (groups.length === 0)
    throw new UsageError(
      `No group of --by ${column} has ${FEWEST_ROWS} rows or more: its ${count(names.length)} values are names of rows rather than of groups.`,
    );
  return { groups, few: all.filter(({ rows }) => rows < FEWEST_ROWS), without };
}

function groupFlags({ by: _, ...flags }: Call['flags'], slug: string): Call['flags'] {
  const { output, tables, figures } = flags;
  return {
    ...flags,
    ...(typeof output === 'string' ? { output: output.replace(/(\.[^./\\]*)?$/, `-${slug}$1`) } : {}),
    ...(typeof tables === 'string' ? { tables: join(tables, slug) } : {}),
    ...(typeof figures === 'string' ? { figures: join(figures, slug) } : {}),
  };
}

/** Characters of a name in a file's name. */
const LONGEST = 60;
/** Names that Windows keeps for devices. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** One file name per level that is valid on any disk: letters, digits, - and _. Names differ even if case is ignored. */
export function fileNames(levels: readonly string[]): string[] {
  const taken = new Set<string>();
  return levels.map((level) => {
    const plain = level
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}_-]+/gu, '_')
      .slice(0, LONGEST);
    const start =
      plain === '' || /^_+$/.test(plain) || RESERVED.test(plain) ? `group_${plain}`.replace(/_+$/, '') : plain;
    let name = start;
    for (let i = 2; taken.has(name.toLowerCase()); i++) name = `${start}-${i}`;
    taken.add(name.toLowerCase());
    return name;
  });
}
