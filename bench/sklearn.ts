import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Matrix } from 'scree';
import type { Contender, Fit } from './contender.js';
import { PythonProcess } from './python-process.js';
import { python } from './setup.js';

/** What sklearn_peer.py answers; each command has some of these. */
interface Reply {
  readonly seconds: number;
  readonly solver: string;
  readonly variances: readonly number[];
  readonly by: string;
  readonly bytes: number;
}

export interface PythonVersions {
  readonly python: string;
  readonly 'scikit-learn': string;
  readonly numpy: string;
  readonly scipy: string;
  /** Its name, version, kernels and threads. */
  readonly blas: string;
}

/** A Python process that holds one workload's data and does one thing at a time. */
export class Peer {
  readonly #python: PythonProcess;
  #folder = '';

  private constructor(threads: number) {
    const limits = { OPENBLAS_NUM_THREADS: `${threads}`, OMP_NUM_THREADS: `${threads}`, MKL_NUM_THREADS: `${threads}` };
    this.#python = new PythonProcess('scikit-learn', python, 'sklearn_peer.py', limits);
  }

  /** Undefined where scikit-learn is not set up. */
  static start(threads: number): Peer | undefined {
    return existsSync(python) ? new Peer(threads) : undefined;
  }

  #ask<Answer = Reply>(command: string, options: object = {}): Promise<Answer> {
    return this.#python.ask<Answer>(command, options);
  }

  async load(folder: string): Promise<void> {
    this.#folder = folder;
    await this.#ask('load', { folder });
  }

  versions(): Promise<PythonVersions> {
    return this.#ask<PythonVersions>('versions');
  }

  /** scikit-learn's PCA with one of its solvers; `solver/float64` runs it on a float64 copy. */
  contender(solver: string, k: number): Contender {
    return {
      name: `scikit-learn ${solver}`,
      group: 'scikit-learn',
      fit: async (repeat) => {
        const { seconds, variances, solver: chosen } = await this.#ask('fit', { solver, k, repeat });
        return { seconds, solver: chosen, variances, components: this.#components(k) };
      },
    };
  }

  /** The straightforward loop in NumPy: draw or permute, centre, scale, covariance, eigenvectors. */
  resample(kind: 'bootstrap' | 'permutation', repeats: number, k: number): Contender {
    return {
      name: `NumPy ${kind}`,
      group: 'scikit-learn',
      fit: async (repeat): Promise<Fit> => ({
        seconds: (await this.#ask('resample', { kind, repeats, k, repeat })).seconds,
      }),
    };
  }

  /** One symmetric product by BLAS: the least that a covariance can cost on this machine. */
  ceiling(): Contender {
    return {
      name: 'OpenBLAS syrk alone',
      group: 'ceiling',
      fit: async (repeat): Promise<Fit> => ({ seconds: (await this.#ask('syrk', { repeat })).seconds }),
    };
  }

  /** The accurate answer, with one more variance than components. */
  async truth(k: number): Promise<{ variances: readonly number[]; components: Float64Array; by: string }> {
    const { variances, by } = await this.#ask('truth', { k });
    return { variances, by, components: this.#components(k).data };
  }

  /** By how many bytes a fit raises the process's peak. */
  async memory(solver: string, k: number): Promise<number> {
    return (await this.#ask('memory', { solver, k })).bytes;
  }

  close(): void {
    this.#python.close();
  }

  #components(k: number): Matrix & { readonly data: Float64Array } {
    return readComponents(this.#folder, k);
  }
}

/** The components that a Python program left in the folder of the data. */
export function readComponents(folder: string, k: number): Matrix & { readonly data: Float64Array } {
  const bytes = readFileSync(join(folder, 'components'));
  const data = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return { rows: k, cols: data.length / k, data };
}
