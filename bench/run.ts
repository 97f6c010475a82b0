import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Arguments, readArguments, USAGE } from './arguments.js';
import { report } from './report.js';
import { reportFile, saved, type WorkloadResult } from './results.js';
import { setUp } from './setup.js';
import { judge } from './targets.js';
import { workloads } from './workloads.js';

/** The benchmark: every part in a process of its own, so that each begins with a clean memory; then the report. */

/** Parts that are not workloads: the program of each. */
const EXTRAS: readonly string[] = [
  'growth',
  'kernels',
  'scaling',
  'regret',
  'event-loop',
  'streaming',
  'learning',
  'resampling',
  'second-look',
  'scale',
  'files',
  'lab',
  'cluster',
];
/** Parts that run only where they are named: a cluster needs Java, and 500 MB of Spark from PyPI. */
const NAMED: readonly string[] = ['cluster'];
const parts = [...workloads.map(({ name }) => name), ...EXTRAS];

let options: Arguments;
try {
  options = readArguments(process.argv.slice(2));
  const unknown = options.names.find((name) => !parts.includes(name));
  if (unknown) throw new Error(`there is no workload ${unknown}; there are ${parts.join(', ')}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`\n${USAGE}`);
  process.exit(2);
}
if (options.help) console.log(USAGE);
else {
  if (!options.reportOnly) await measureAll(options);
  writeReport(options);
}

async function measureAll({ names }: Arguments): Promise<void> {
  const problem = setUp();
  if (problem) console.log(`!! ${problem}\n!! Everything of scikit-learn and OpenBLAS is left out.`);
  const chosen = parts.filter((part) => (names.length > 0 ? names.includes(part) : !NAMED.includes(part)));
  for (const [i, part] of chosen.entries()) {
    const start = performance.now();
    console.log(`\n${part} (${i + 1} of ${chosen.length})`);
    const code = await measure(part);
    if (code !== 0) {
      console.error(`!! ${part} failed; its last result, if there is one, stays`);
      process.exitCode = 1;
    }
    console.log(`  ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
}

function measure(part: string): Promise<number | null> {
  const program = fileURLToPath(new URL(EXTRAS.includes(part) ? `${part}.js` : 'workload.js', import.meta.url));
  const flags = process.argv.slice(2).filter((argument) => !parts.includes(argument));
  const child = spawn(process.execPath, ['--expose-gc', program, part, ...flags], { stdio: 'inherit' });
  return new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
}

function writeReport({ quick }: Arguments): void {
  console.log('\ntargets');
  for (const workload of workloads) {
    const result = saved<WorkloadResult>(workload.name, quick);
    for (const { contender, target, measured, verdict, remark } of result ? judge(workload, result) : []) {
      console.log(`  ${workload.name}, ${contender}: ${target}: ${measured} ${verdict}${remark ? ` (${remark})` : ''}`);
    }
  }
  const text = report(quick);
  if (text) writeFileSync(reportFile(quick), text);
  console.log(text ? `\nreport: ${fileURLToPath(reportFile(quick))}` : '  nothing has been measured yet');
}
