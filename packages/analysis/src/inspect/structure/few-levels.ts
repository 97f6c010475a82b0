import { columnDetails, type StructureCheck } from './structure-check.js';

/** Fewest items. */
const FEWEST = 3;
/** Levels of an item: an answer from "disagree" to "agree". */
const [FEWEST_LEVELS, MOST_LEVELS] = [3, 10];
/** Share of the columns that must be such items. */
const SHARE = 0.8;

/** FEW_LEVELS: most columns are answers on one scale of few steps, such as 1 to 5. */
export const fewLevels: StructureCheck = {
  code: 'FEW_LEVELS',
  find({ measured }) {
    const items = measured.filter(
      ({ integers, levels = [] }) =>
        integers === true && levels.length >= FEWEST_LEVELS && levels.length <= MOST_LEVELS,
    );
    if (items.length < FEWEST || items.length < SHARE * measured.length) return undefined;
    const low = Math.min(...items.map(({ min }) => min));
    const high = Math.max(...items.map(({ max }) => max));
    // Counts of different things have different ranges.
    if (high - low >= MOST_LEVELS) return undefined;
    const [count, of] = [items.length, measured.length];
    return {
      message: `${count === of ? `The ${of} columns of measurements have` : `${count} of the ${of} columns of measurements have`} only whole numbers from ${low} to ${high}, like answers on a rating scale. Their order may mean more than their differences: columnTransform: 'rank' with scale: 'unit' analyses Spearman's correlations.`,
      details: { ...columnDetails(items), of, low, high },
    };
  },
};
