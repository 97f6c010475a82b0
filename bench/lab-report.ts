import { count, milliseconds, table, times } from './format.js';
import type { Spread } from './measure.js';
import type { LabResult } from './results.js';
import { LAB } from './workloads.js';

/** What the lab takes, beside what it may take. */
export function labTable({ bytes, paint, iris, mnist, points, frames, longest }: LabResult): string[] {
  const ratio = frames.drawing / frames.empty;
  const word = (met: boolean): string => (met ? 'met' : '**missed**');
  const time = (name: string, { median, low, high }: Spread, aim: number): string[] => [
    name,
    milliseconds(median),
    `${milliseconds(low)} – ${milliseconds(high)}`,
    milliseconds(aim),
    word(median <= aim),
  ];
  return [
    'The page in Chromium without a graphics card, from `scree lab`, in a fresh profile each time.',
    '',
    ...table(
      ['', 'median', 'middle half', 'aim', ''],
      [
        time('first paint', paint, LAB.paint),
        time('iris drawn, after the page has loaded', iris, LAB.iris),
        time('fit of MNIST, 10,000 × 784', mnist, LAB.mnist),
        [
          'longest task while k is dragged, MNIST',
          longest === 0 ? 'none above 50 ms' : milliseconds(longest),
          '',
          milliseconds(LAB.longest),
          word(longest <= LAB.longest),
        ],
        [
          'scripts of Explore, packed',
          `${Math.round(bytes / 1024)} KB`,
          '',
          `${LAB.bytes / 1024} KB`,
          word(bytes <= LAB.bytes),
        ],
        [
          `a frame while ${count(points)} points are dragged`,
          milliseconds(frames.drawing),
          `${times(ratio)} of an empty canvas`,
          times(LAB.frames),
          word(ratio <= LAB.frames),
        ],
      ],
    ),
  ];
}
