/** Timing that survives a shared machine: contenders take turns, garbage is collected between, medians and spread are kept. */

export interface Contender<Result> {
  readonly name: string;
  run(): Promise<Result> | Result;
}

export interface Timing<Result> {
  readonly name: string;
  /** Milliseconds: median, and the middle half of the samples. */
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly samples: number;
  readonly result: Result;
}

const collect = (globalThis as { gc?: () => void }).gc ?? (() => {});

/** Runs every contender in turn, at least `least` rounds and until `budget` milliseconds are spent or `most` rounds are done. */
export async function interleave<Result>(
  contenders: readonly Contender<Result>[],
  { least = 3, most = 30, budget = 4000 } = {},
): Promise<Timing<Result>[]> {
  const results = new Map<string, Result>();
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (const contender of contenders) results.set(contender.name, await contender.run());
  const start = performance.now();
  for (let round = 0; round < most && (round < least || performance.now() - start < budget); round++) {
    for (const contender of contenders) {
      collect();
      const before = performance.now();
      await contender.run();
      samples.get(contender.name)?.push(performance.now() - before);
    }
  }
  return contenders.map(({ name }) => {
    const sorted = (samples.get(name) as number[]).sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    return {
      name,
      median: at(0.5),
      low: at(0.25),
      high: at(0.75),
      samples: sorted.length,
      result: results.get(name) as Result,
    };
  });
}

export function milliseconds(value: number): string {
  if (value < 1) return `${(value * 1000).toFixed(0)} µs`;
  if (value < 1000) return `${value.toPrecision(3)} ms`;
  return `${(value / 1000).toPrecision(3)} s`;
}
