import type { Scaler } from '../../data/blocks/block.js';
import type { OnStep } from '../engine.js';
import type { ShiftedSums } from '../provisional-means.js';
import { STRIP } from './decode-code.js';
import { joinParts } from './matrices.js';
import { type StoredRows, withBuffers } from './pass-buffers.js';
import { readFlags } from './scaled-rows.js';

/** Maximum bytes of column sums that are read back in one step. */
const SUMS_BYTES = 16 * 2 ** 20;

/** Σw·t, Σw·t² and ranges of the columns. `alongside` is called for each slab of rows while the slab is on the device. */
export function columnSums(
  { gpu, resident, rows: n, cols: d }: StoredRows,
  scaler: Scaler,
  sums: ShiftedSums,
  report: OnStep,
  alongside?: (first: number, rows: number) => Promise<void>,
): Promise<void> {
  const onSlice = (): void | Promise<void> => report(0);
  return withBuffers(gpu, async (use) => {
    const rows = await use.rows(resident, n, d, scaler, false);
    const { ld } = rows;
    const perSlab = Math.ceil(rows.slab / STRIP);
    const most = perSlab * Math.max(1, Math.floor(SUMS_BYTES / (perSlab * 32 * ld)));
    const into = { sums: await use.buffer(most * 32 * ld), flags: await use.buffer(most * 4), strip: 0 };
    gpu.clear(into.flags);
    const planes = new Float64Array(4 * d);
    let strips: number[] = [];
    const flush = async (): Promise<void> => {
      await gpu.read(
        [into.sums],
        strips.length * 8 * ld,
        ([found], start) => {
          for (let at = 0; at < found.length; at += 8 * ld) {
            for (let plane = 0; plane < 4; plane++) {
              const high = at + 2 * plane * ld;
              joinParts(found, found.subarray(ld), high, planes, plane * d, d);
            }
            sums.add(planes, strips[(start + at) / (8 * ld)]);
          }
        },
        8 * ld,
      );
      const [bad] = await readFlags(gpu, into.flags, strips.length);
      if (bad !== undefined) sums.bad ??= strips[bad];
      strips = [];
    };
    for (const { first, rows: count } of rows.slabs()) {
      if (strips.length + perSlab > most) {
        await flush();
        gpu.clear(into.flags);
      }
      await rows.sums(first, count, { ...into, strip: strips.length }, onSlice);
      await alongside?.(first, count);
      for (let row = 0; row < count; row += STRIP) strips.push(first + row);
      await report(count);
    }
    await flush();
  });
}
