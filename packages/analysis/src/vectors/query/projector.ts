import { COMPONENT_STEPS } from './exact-products.js';
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

/** Numbers are cut into high parts, in steps of 2^10, and low parts from −2^9 to 2^9 − 1. */
const PART = 10;
/** Longest vectors whose sums of low parts, at most 2^18·d, fit in 32 bits. */
const LONGEST = 2 ** 13 - 1;

/**
 * Products in WebAssembly, several times as fast as plain JavaScript: eight products of 16-bit parts at a time. By Cauchy and Schwarz, sums of
 * products of high parts are at most 2^27 and those of high and low parts 2^24·√d. The sums are exact, so both give the same bits.
 */
function withWasm({ components, k, d }: QueryModel): Projector | undefined {
  const [height, width] = [2 * Math.ceil(k / 2), 8 * Math.ceil(d / 8)];
  const at = { x: START + 4 * height * width, out: START + 4 * height * width + 4 * width };
  try {
    if (compiled === undefined) {
      compiled = null;
      compiled = new WebAssembly.Module(Uint8Array.from(atob(kernel), (letter) => letter.charCodeAt(0)));
    }
    if (!compiled || !components || d > LONGEST) return undefined;
    const memory = new WebAssembly.Memory({ initial: Math.ceil((at.out + 8 * height) / PAGE) });
    const { project } = new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Kernel;
    const basis = new Int16Array(memory.buffer, START, 2 * height * width);
    for (let c = 0; c < k; c++) {
      const whole = Float64Array.from(components.subarray(c * d, (c + 1) * d), (value) => value * COMPONENT_STEPS);
      cut(whole, basis, 2 * c * width, width);
    }
    const [x, out] = [new Int16Array(memory.buffer, at.x, 2 * width), new Float64Array(memory.buffer, at.out, k)];
    const fixed = new Float64Array(d);
    return {
      fixed,
      project: () => {
        cut(fixed, x, 0, width);
        project(START, at.x, height, width, at.out);
        for (let c = 0; c < k; c++) out[c] /= COMPONENT_STEPS;
        return out;
      },
    };
  } catch {
    return undefined;
  }
}

/** Writes the high parts of whole numbers, and their low parts `width` entries later. */
function cut(whole: Float64Array, into: Int16Array, at: number, width: number): void {
  const half = 1 << (PART - 1);
  for (let j = 0; j < whole.length; j++) {
    const high = (whole[j] + half) >> PART;
    into[at + j] = high;
    into[at + width + j] = whole[j] - (high << PART);
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
