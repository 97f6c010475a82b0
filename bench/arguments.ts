import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

/** What the command line asks for; the children that measure get the same arguments. */
export interface Arguments {
  readonly names: readonly string[];
  readonly threads: number;
  readonly engines: readonly string[];
  readonly quick: boolean;
  readonly slow: boolean;
  readonly reportOnly: boolean;
  readonly help: boolean;
}

export const USAGE = `npm run bench -- [workload …] [options]

Runs all workloads, or those named, and writes docs/benchmarks.md from the latest results of every one.
Spark and dask-ml run only where they are named: npm run bench -- cluster.

  --threads N      threads for everybody (all cores)
  --engines a,b    scree's engines (wasm,blas)
  --slow           also measure what takes more than a minute (ml-pca on mnist-small)
  --quick          one round, to see that everything works; results stay in bench/results/quick
  --report         measure nothing, write the report again
`;

export function readArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      threads: { type: 'string', default: `${cpus().length}` },
      engines: { type: 'string', default: 'wasm,blas' },
      slow: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const threads = Number(values.threads);
  if (!(Number.isInteger(threads) && threads >= 1))
    throw new Error(`--threads must be 1 or more, not ${values.threads}`);
  return {
    names: positionals,
    threads,
    engines: values.engines.split(','),
    quick: values.quick,
    slow: values.slow,
    reportOnly: values.report,
    help: values.help,
  };
}
