import {
  createFile,
  type Model,
  openFile,
  type PcaOptions,
  pca,
  principalAngles,
  type RowSource,
  sparkSource,
} from 'scree';
import { expect } from 'vitest';

/** Standard normal numbers, the same for the same seed. */
export function normals(count: number, seed: number): Float64Array {
  let state = seed >>> 0 || 1;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return Float64Array.from(
    { length: count },
    () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  );
}

export interface TestData {
  readonly rows: number;
  readonly cols: number;
  readonly seed: number;
  /** Added to every number. */
  readonly offset?: number;
}

/** Rows with variances that fall, which turn into one another: components are determined, and none is a column. */
export function testRows({ rows, cols, seed, offset = 0 }: TestData): Float64Array {
  const noise = normals(rows * cols, seed);
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      const before = noise[i * cols + ((j + 1) % cols)];
      data[i * cols + j] = offset + (noise[i * cols + j] + 0.5 * before) * 0.9 ** (j % 40);
    }
  }
  return data;
}

/** Writes rows as a Parquet file. */
export async function writeParquet(path: string, data: Float64Array, cols: number): Promise<void> {
  const columnNames = Array.from({ length: cols }, (_, j) => `x${j}`);
  const writer = await createFile(path, { cols, columnNames, dtype: 'float64' });
  await writer.write({ rows: data.length / cols, cols, data });
  await writer.close();
}

/** Models of the same rows agree within the bounds of both certificates. */
export function expectWithinCertificates(remote: Model, local: Model): void {
  expect(remote.n).toBe(local.n);
  const angles = principalAngles(remote.components, local.components);
  const bound = remote.certificate.subspaceAngleBound + local.certificate.subspaceAngleBound;
  // Angles themselves are computed to d roundings.
  expect(Math.max(...angles)).toBeLessThanOrEqual(bound + remote.d * Number.EPSILON);
  remote.variances.forEach((variance, i) => {
    const allowed = remote.certificate.varianceBounds[i] + local.certificate.varianceBounds[i];
    expect(Math.abs(variance - local.variances[i])).toBeLessThanOrEqual(allowed);
  });
  // The bounds say something.
  expect(remote.certificate.varianceBounds[0]).toBeLessThan(1e-9 * remote.variances[0]);
}

/** The models of a query on Spark, by its executors, and of a file here. */
export async function bothModels(
  url: string,
  sql: string,
  path: string,
  options: PcaOptions & { readonly memory?: number },
): Promise<{ remote: Model; local: Model }> {
  const { memory = 2 ** 30, ...fit } = options;
  const source: RowSource = await sparkSource({ url, sql, memory });
  const remote = await pca(source, { engine: 'spark', ...fit });
  const file = await openFile(path);
  try {
    return { remote, local: await pca(file.source, fit) };
  } finally {
    await file.close();
  }
}
