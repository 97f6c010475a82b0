import type { FlaggedRow, RowLimits, RowReason } from '@scree/analysis';
import { count, describeRowReason, formatNumber, listed, percent, plural } from '@scree/analysis/describe';
import { ControlChart } from './control-chart.js';

/** Rows that are listed with their reasons. */
const LISTED = 10;

/** A row beyond a limit, with its number from 1 and its name. */
export interface NamedRow extends Omit<FlaggedRow, 'row'> {
  readonly row: number;
  readonly name: string | null;
  readonly group: string | null;
  readonly ratio: number;
}

/** What `scree monitor` says about all rows. Its memory does not grow with them. */
export class MonitorSummary {
  rows = 0;
  t2 = 0;
  q = 0;
  either = 0;
  readonly #level: number;
  readonly #charts = { t2: new ControlChart(), q: new ControlChart() };
  readonly #columns = new Map<string, number>();
  readonly #groups = new Map<string, { rows: number; flagged: number }>();
  readonly #worst: NamedRow[] = [];

  constructor(level: number) {
    this.#level = level;
  }

  /** Counts a row; `ratio` is its larger one of T² and Q divided by their limits. */
  add(t2: number, q: number, limits: RowLimits, group: string | null): number {
    this.rows++;
    const ratios = {
      t2: limits.t2 === null ? Number.NaN : t2 / limits.t2,
      q: limits.q === null ? Number.NaN : q / limits.q,
    };
    this.#charts.t2.add(ratios.t2);
    this.#charts.q.add(ratios.q);
    if (ratios.t2 > 1) this.t2++;
    if (ratios.q > 1) this.q++;
    const beyond = ratios.t2 > 1 || ratios.q > 1;
    if (beyond) this.either++;
    if (group !== null) {
      const known = this.#groups.get(group) ?? { rows: 0, flagged: 0 };
      known.rows++;
      if (beyond) known.flagged++;
      this.#groups.set(group, known);
    }
    return Math.max(ratios.t2 || 0, ratios.q || 0);
  }

  /** Keeps the row if it is among the worst. */
  flag(row: NamedRow): void {
    const [first] = row.reasons;
    if (first) this.#columns.set(first.name, (this.#columns.get(first.name) ?? 0) + 1);
    if (this.#worst.length === LISTED && row.ratio <= this.#worst[LISTED - 1].ratio) return;
    this.#worst.push(row);
    this.#worst.sort((a, b) => b.ratio - a.ratio || a.row - b.row);
    this.#worst.length = Math.min(this.#worst.length, LISTED);
  }

  get share(): number {
    return this.rows === 0 ? 0 : this.either / this.rows;
  }

  /** Columns by how many flagged rows name them first. */
  get columns(): { readonly name: string; readonly rows: number }[] {
    return [...this.#columns].map(([name, rows]) => ({ name, rows })).sort((a, b) => b.rows - a.rows);
  }

  json(limits: RowLimits | undefined, failAbove: number | undefined): object {
    return {
      rows: this.rows,
      level: this.#level,
      flagged: { t2: this.t2, q: this.q, either: this.either, share: this.share },
      limits: limits ?? null,
      columns: this.columns,
      groups: [...this.#groups].map(([group, found]) => ({ group, ...found })),
      worst: this.#worst,
      ...(failAbove === undefined ? {} : { failAbove, failed: this.share > failAbove }),
    };
  }

  /** Sentences and the charts, for a terminal of this width. */
  lines(name: string, limits: RowLimits | undefined, width: number): string[] {
    const expected = 1 - this.#level;
    const level = wholePercent(this.#level);
    const head = `${name}: ${plural(this.rows, 'row')}, ${count(this.either)} (${percent(this.share)}) beyond a ${level} limit: ${count(this.t2)} of T², ${count(this.q)} of Q.`;
    const both = limits?.t2 !== null && limits?.q !== null;
    const usual = `Of good rows, about ${wholePercent(expected)} are beyond ${both ? 'each limit' : 'the limit'}.`;
    return [
      head,
      usual,
      '',
      ...this.#chart('T²', limits?.t2, this.#charts.t2, expected, width),
      ...this.#chart('Q', limits?.q, this.#charts.q, expected, width),
      ...this.#scale(width, expected),
      ...this.#namedColumns(),
      ...this.#groupLines(),
      ...(this.#worst.length > 0 ? ['', 'Farthest beyond:'] : []),
      ...this.#worst.map((row) => describeRow(row)),
    ];
  }

  #chart(
    name: string,
    limit: number | null | undefined,
    chart: ControlChart,
    expected: number,
    width: number,
  ): string[] {
    if (limit === null) return [`${name.padEnd(3)} has no limit for this model.`];
    const shown = limit === undefined ? 'of each group' : formatNumber(limit, 4);
    const label = `${name.padEnd(3)} limit ${shown}`.padEnd(22);
    return [`${label} ${chart.draw(Math.max(10, width - 24), expected).line}`];
  }

  #scale(width: number, expected: number): string[] {
    const { rowsEach, shares } = this.#charts.q.draw(Math.max(10, width - 24), expected);
    if (shares) {
      return [
        `${' '.repeat(23)}each character ${count(rowsEach)} rows; above ▄ more of them are beyond the limit than of good rows`,
      ];
    }
    return [
      `${' '.repeat(23)}${rowsEach === 1 ? 'a character per row' : `the largest of ${rowsEach} rows`}; above ▄ is beyond the limit`,
    ];
  }

  #namedColumns(): string[] {
    const named = this.columns.slice(0, 5).map(({ name, rows }) => `${name} (${count(rows)})`);
    return named.length === 0 ? [] : ['', `Named first, of the flagged rows: ${listed(named)}.`];
  }

  #groupLines(): string[] {
    const groups = [...this.#groups]
      .filter(([, { flagged }]) => flagged > 0)
      .sort(([, a], [, b]) => b.flagged / b.rows - a.flagged / a.rows)
      .slice(0, 8)
      .map(([group, { rows, flagged }]) => `${group} ${count(flagged)} of ${count(rows)}`);
    return groups.length === 0 ? [] : [`By group: ${listed(groups)}.`];
  }
}

/** "Row 17 (pump 3): 3.1 times the limit of Q: outlet 4.1 above what the others predict." */
function describeRow({ row, name, flag, ratio, reasons }: NamedRow): string {
  const title = name === null ? `Row ${count(row)}` : `Row ${count(row)} (${name})`;
  const which = flag.length === 2 ? 'T² and Q' : flag[0] === 't2' ? 'T²' : 'Q';
  const why = reasons.map((reason: RowReason) => describeRowReason(reason)).join('; ');
  return `  ${title}: ${formatNumber(ratio, 3)} times the limit, by ${which}: ${why}.`;
}

/** A level as people write it: 95 %, 99.9 %. */
export function wholePercent(share: number): string {
  return `${formatNumber(100 * share, 6)}\u00a0%`;
}
