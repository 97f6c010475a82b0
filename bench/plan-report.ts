import { milliseconds, percent, table } from './format.js';
import type { RegretResult } from './results.js';
import { REGRET } from './workloads.js';

/** What the plan's choices lose over shapes and types, as the report tells it. */
export function regretTable({ rows, sixteen }: RegretResult): string[] {
  const loss = ({ chosen, best }: RegretResult['rows'][number]): number => chosen.time / best.time - 1;
  const word = (regret: number): string => (regret <= REGRET ? 'met' : '**missed**');
  const missed = (regrets: readonly number[]): string =>
    `${regrets.filter((regret) => regret > REGRET).length} of ${regrets.length}`;
  return [
    `The same over more shapes: the solver that the plan chose against the fastest solver of the same engine, and for \`auto\` also against the other engines. Above ${percent(REGRET)}: ${missed(rows.map(loss))}.`,
    '',
    ...table(
      ['data', 'engine', 'chosen', 'fastest', 'loss', ''],
      rows.map((row) => [
        row.data,
        row.engine,
        `${row.chosen.solver} ${milliseconds(row.chosen.time)}`,
        `${row.best.engine} ${row.best.solver} ${milliseconds(row.best.time)}`,
        percent(loss(row)),
        word(loss(row)),
      ]),
    ),
    '',
    `On 16 cores, predicted for the wasm engine from the rates that were measured on such a machine; above ${percent(REGRET)}: ${missed(sixteen.map(({ regret }) => regret))}.`,
    '',
    ...table(
      ['data', 'chosen', 'best', 'loss', ''],
      sixteen.map(({ data, chosen, best, regret }) => [data, chosen, best, percent(regret), word(regret)]),
    ),
  ];
}
