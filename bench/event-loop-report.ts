import { count, megabytes, milliseconds, table } from './format.js';
import type { EventLoopResult } from './results.js';

/** What a server feels while it fits, as the report tells it. */
export function eventLoopTable({ fits, shape, rows, queue }: EventLoopResult): string[] {
  const [n, d] = shape;
  const addresses = queue.addresses === undefined ? '' : `, ${(queue.addresses / 2 ** 30).toFixed(0)} GB of addresses`;
  return [
    `${fits} fits of ${count(n)} × ${count(d)} at a time in a server that answers requests, for each way of \`blocking\`. The aim for \`short\` and \`none\` is a delay of 8 ms at most, but for what the system itself adds while all cores work.`,
    '',
    ...table(
      ['blocking', 'all fits', 'delay, median', '99 %', 'largest', 'request, median', 'largest'],
      rows.map(({ blocking, time, delays, pings }) => [
        blocking,
        milliseconds(time),
        ...(delays?.map(milliseconds) ?? ['no turn', '', '']),
        ...pings.map(milliseconds),
      ]),
    ),
    '',
    `${queue.fits} fits of ${count(queue.rows)} × ${count(queue.cols)} called at once: ${milliseconds(queue.time)}, resident memory from ${megabytes(queue.before)} to ${megabytes(queue.largest)} at most${addresses}.`,
  ];
}
