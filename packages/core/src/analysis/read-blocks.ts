import { checkControl } from '../control.js';
import type { Block } from '../data/block.js';
import { refuseChanged } from '../data/changes.js';
import { openForModel } from '../data/coded-source.js';
import { checkBlockWidth } from '../data/open-source.js';
import { checkFinite } from '../data/statistics.js';
import type { TableData } from '../data/table.js';
import { chooseEngine } from '../engines/choose.js';
import { DataError } from '../errors.js';
import { keepAlive } from '../keep-alive.js';
import type { ApplyOptions, Model } from '../model/model.js';
import { type Reconstruction, reconstructBlock } from '../model/reconstruction.js';
import { ProgressTracker } from '../progress.js';

/**
 * Scores, squared lengths and reconstruction errors of rows as a model sees them, block by block in one reading. Opens the data,
 * checks them, and closes them whatever happens.
 */
export function readBlocks(
  model: Model,
  phase: string,
  data: TableData,
  options: ApplyOptions,
  visit: (part: Reconstruction, block: Block) => void,
): Promise<void> {
  return keepAlive(async () => {
    const { threads } = checkControl(options);
    const progress = new ProgressTracker(options);
    const { columnNames, d } = model;
    const source = await openForModel(data, model, progress);
    try {
      if (source.cols !== d) {
        throw new DataError(
          'WIDTH_MISMATCH',
          `These rows have ${source.cols} columns, but the model was fitted to ${d}. Pass the same columns in the same order.`,
          { value: source.cols, expected: d },
        );
      }
      let rows = 0;
      progress.begin(phase, source.rows);
      for await (const block of source.blocks()) {
        checkBlockWidth(block, source, rows);
        await progress.follow(checkFinite(block, rows, columnNames));
        const engine = await chooseEngine({ threads }, block.data.length);
        visit(await reconstructBlock(model, block, engine, (done) => progress.step(done)), block);
        rows += block.rows;
      }
      progress.end();
      await refuseChanged(source);
    } finally {
      await source.close?.();
    }
  });
}
