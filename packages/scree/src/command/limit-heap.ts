import { setFlagsFromString } from 'node:v8';

/** Memory from which V8's own rules are kept: its heap then grows to about 100 MB of garbage before it is collected. */
const AMPLE_MEMORY = 1e9;

/**
 * Makes V8 collect garbage sooner if a command may take little memory. Parsing and writing text leave tens of megabytes of short-lived
 * strings, which V8 lets pile up while the machine has memory, because it does not know about `--memory`. The flag changes when the heap
 * grows, not what is compiled, so it may be set while a program runs. Commands that write text then take about a fifth longer.
 */
export function limitHeap(memory: number): void {
  if (memory < AMPLE_MEMORY) setFlagsFromString('--optimize-for-size');
}
