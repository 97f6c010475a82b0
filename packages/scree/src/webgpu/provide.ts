import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { provideGpu } from '@scree/core/engine';

/** The part of the package `webgpu` (Dawn for Node) that is used. It is an optional peer: 130 MB that most users do not need. */
interface DawnPackage {
  create(options: string[]): GPU;
  readonly globals: object;
}

/** Lets core use WebGPU in Node, through the package `webgpu` if it is installed. The package is loaded when a fit needs it. */
export function provideNodeGpu(): void {
  provideGpu(async () => {
    if (globalThis.navigator?.gpu) return navigator.gpu;
    // SCREE_WEBGPU names the module if it is installed elsewhere.
    const name = process.env.SCREE_WEBGPU ?? 'webgpu';
    if (name === 'none') return 'SCREE_WEBGPU is "none"';
    let path: string;
    try {
      path = createRequire(import.meta.url).resolve(name);
    } catch {
      return 'the package webgpu is not installed (npm install webgpu)';
    }
    try {
      const { create } = (await import(pathToFileURL(path).href)) as DawnPackage;
      // Dawn stops working when the object that it returned is collected.
      kept ??= create([]);
      return kept;
    } catch (error) {
      return `the package webgpu does not load (${error instanceof Error ? error.message : error})`;
    }
  });
}

/** A cache: one object for the process. */
let kept: GPU | undefined;
