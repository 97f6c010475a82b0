import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { useFolder } from './support.js';

const folder = useFolder();
const home = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program on the built package and returns what it prints as JSON. */
function run(program: string): { rows: number; peak: number; base: number } {
  // Small spaces for V8: what is measured is then what the readers hold, not garbage that was not collected yet.
  const flags = ['--max-old-space-size=64', '--max-semi-space-size=4', '--input-type=module'];
  const printed = execFileSync(process.execPath, [...flags, '-e', program], {
    cwd: home,
    encoding: 'utf8',
    maxBuffer: 1 << 20,
  });
  return JSON.parse(printed);
}

/** The peak memory that the operating system reports, in bytes. */
const measure = `
  import { createFile, openFile } from 'scree';
  const peak = () => process.resourceUsage().maxRSS * 1024;
  async function read(path, options) {
    const base = peak();
    const file = await openFile(path, options);
    let rows = 0;
    for (let pass = 0; pass < 2; pass++) for await (const block of file.source.blocks()) rows += block.rows;
    await file.close();
    console.log(JSON.stringify({ rows, base, peak: peak() }));
  }
`;

describe('memory stays bounded', () => {
  it('when 300 MB of .npy are written and read twice, in both orders, also compressed', () => {
    const path = folder.file('large.npy');
    const written = run(`${measure}
      const writer = await createFile(${JSON.stringify(path)}, { cols: 100 });
      const data = new Float64Array(100_000);
      const base = peak();
      for (let i = 0; i < 375; i++) await writer.write({ rows: 1000, cols: 100, data: data.fill(i) });
      await writer.close();
      console.log(JSON.stringify({ rows: writer.rows, base, peak: peak() }));`);
    expect(written.rows).toBe(375_000);
    expect(written.peak - written.base).toBeLessThan(64e6);
    const read = run(`${measure} await read(${JSON.stringify(path)}, {});`);
    expect(read.rows).toBe(750_000);
    expect(read.peak - read.base).toBeLessThan(100e6);
  });

  it('when 100 MB of text and 80 MB of Parquet are read twice', () => {
    const [csv, parquet] = [folder.file('large.csv'), folder.file('large.parquet')];
    run(`${measure}
      let rows = 0;
      for (const [path, count] of [[${JSON.stringify(csv)}, 55], [${JSON.stringify(parquet)}, 100]]) {
        const writer = await createFile(path, { cols: 100 });
        for (let i = 0; i < count; i++) await writer.write({ rows: 1000, cols: 100, data: Float64Array.from({ length: 100_000 }, (_, j) => Math.sin(j + i)) });
        await writer.close();
        rows += writer.rows;
      }
      console.log(JSON.stringify({ rows, base: 0, peak: peak() }));`);
    const text = run(`${measure} await read(${JSON.stringify(csv)}, { memory: 2 ** 27 });`);
    expect(text.rows).toBe(110_000);
    expect(text.peak - text.base).toBeLessThan(80e6);
    // DuckDB itself takes about 100 MB before it reads anything.
    const columns = run(`${measure} await read(${JSON.stringify(parquet)}, { memory: 2 ** 28 });`);
    expect(columns.rows).toBe(200_000);
    expect(columns.peak - columns.base).toBeLessThan(450e6);
  });
});
