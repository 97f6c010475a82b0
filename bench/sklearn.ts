import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Contender, Fit } from './contender.js';
import { python } from './setup.js';

/** What sklearn_peer.py answers; each command has some of these. */
interface Reply {
  readonly error?: string;
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
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #folder = '';

  private constructor(threads: number) {
    const limits = { OPENBLAS_NUM_THREADS: `${threads}`, OMP_NUM_THREADS: `${threads}`, MKL_NUM_THREADS: `${threads}` };
    const script = fileURLToPath(new URL('../sklearn_peer.py', import.meta.url));
    this.#process = spawn(python, [script], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...limits },
    });
    this.#lines = createInterface({ input: this.#process.stdout! })[Symbol.asyncIterator]();
  }

  /** Undefined where scikit-learn is not set up. */
  static start(threads: number): Peer | undefined {
    return existsSync(python) ? new Peer(threads) : undefined;
  }

  async #ask<Answer = Reply>(command: string, options: object = {}): Promise<Answer> {
    this.#process.stdin!.write(`${JSON.stringify({ [command]: options })}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`scikit-learn's process ended during ${command}`);
    const reply = JSON.parse(value) as Answer & { error?: string };
    if (reply.error) throw new Error(`scikit-learn, ${command}: ${reply.error}`);
    return reply;
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
    this.#process.stdin!.end();
  }

  #components(k: number): { rows: number; cols: number; data: Float64Array } {
    const bytes = readFileSync(join(this.#folder, 'components'));
    const data = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    return { rows: k, cols: data.length / k, data };
  }
}
