import { kernel } from './kernel.js';
import type { QueryModel } from './query-model.js';

/** Exact products of a vector with the components. */
interface Projector {
  /** Takes the vector, as whole numbers. Its length is at least d. */
  readonly fixed: Float64Array;
  /** Returns the products. The next call overwrites them. */
  project(): Float64Array;
}

const projectors = new WeakMap<QueryModel, Projector>();

/** The projector of a model, made at its first use. */
export function projectorOf(model: QueryModel): Projector {
  let projector = projectors.get(model);
  if (!projector) {
    projector = withWasm(model) ?? plain(model);
    projectors.set(model, projector);
  }
  return projector;
}

interface Kernel {
  readonly project: (components: number, x: number, k: number, d: number, out: number) => void;
}

/** Bytes at the start of memory that the kernel's own data may take. */
const START = 1024;
const PAGE = 65536;

/** The compiled kernel. Null if it cannot be compiled here: Cloudflare Workers compile nothing at run time. */
let compiled: WebAssembly.Module | null | undefined;

/** Products in WebAssembly, several times as fast as plain JavaScript. The sums are exact, so both give the same bits. */
function withWasm({ components, k, d }: QueryModel): Projector | undefined {
  const [height, width] = [4 * Math.ceil(k / 4), 4 * Math.ceil(d / 4)];
  const at = { x: START + 4 * height * width, out: START + 4 * height * width + 8 * width };
  try {
    if (compiled === undefined) {
      compiled = null;
      compiled = new WebAssembly.Module(Uint8Array.from(atob(kernel), (letter) => letter.charCodeAt(0)));
    }
    if (!compiled || !components) return undefined;
    const memory = new WebAssembly.Memory({ initial: Math.ceil((at.out + 8 * height) / PAGE) });
    const { project } = new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Kernel;
    const basis = new Float32Array(memory.buffer, START, height * width);
    for (let c = 0; c < k; c++) basis.set(components.subarray(c * d, (c + 1) * d), c * width);
    const [x, out] = [new Float64Array(memory.buffer, at.x, width), new Float64Array(memory.buffer, at.out, k)];
    return {
      fixed: x,
      project: () => {
        project(START, at.x, height, width, at.out);
        return out;
      },
    };
  } catch {
    return undefined;
  }
}

function plain({ components, k, d }: QueryModel): Projector {
  const basis = components as Float32Array;
  const [fixed, out] = [new Float64Array(d), new Float64Array(k)];
  const project = (): Float64Array => {
    for (let c = 0, at = 0; c < k; c++) {
      let [even, odd] = [0, 0];
      const end = at + d - (d % 2);
      for (let j = 0; at < end; at += 2, j += 2) {
        even += basis[at] * fixed[j];
        odd += basis[at + 1] * fixed[j + 1];
      }
      if (d % 2 === 1) even += basis[at++] * fixed[d - 1];
      out[c] = even + odd;
    }
    return out;
  };
  return { fixed, project };
}
