import { random } from './random.js';

/**
 * A discrete-event simulation of one job on a cluster: tasks, one per partition, on executors of one core each; then their results, which are
 * sums of equal size, become one. Times are seconds, sizes bytes. Machines that fail are not simulated.
 */

export interface Cluster {
  readonly executors: number;
  /** Bytes per second that one machine sends or receives. */
  readonly bandwidth: number;
  /** Seconds between the end of a task and the beginning of the next one on the same executor. */
  readonly dispatch: number;
  /** Standard deviation of the logarithm of a task's time. */
  readonly spread: number;
  /** Tasks that take `factor` times as long. */
  readonly stragglers: { readonly share: number; readonly factor: number };
}

export interface Job {
  readonly tasks: number;
  /** One task on one core, without its spread. */
  readonly taskSeconds: number;
  /** Bytes of a task's result, and seconds of adding one result to another. */
  readonly resultBytes: number;
  readonly addSeconds: number;
}

/**
 * How results become one:
 * - `driver`: every task sends its result to the driver, which adds them up;
 * - `combine`: every executor adds up the results of its own tasks, and sends one;
 * - `tree`: executors do the same, then two sums at a time become one, on executors, and the last is sent to the driver.
 */
export type Merge = 'driver' | 'combine' | 'tree';

export interface Outcome {
  /** From the first task to the result in the driver. */
  readonly seconds: number;
  /** When the last task ended. */
  readonly computed: number;
  /** Bytes that went through the network, and those that the driver received. */
  readonly moved: number;
  readonly received: number;
}

export function simulate(job: Job, cluster: Cluster, merge: Merge, seed: number): Outcome {
  const { uniform, normal } = random(seed);
  const { executors, spread, stragglers, dispatch } = cluster;
  const transfer = job.resultBytes / cluster.bandwidth;
  const free = new Times();
  const used = Math.min(executors, job.tasks);
  for (let i = 0; i < used; i++) free.add(0);
  const ends: number[] = [];
  for (let task = 0; task < job.tasks; task++) {
    const factor =
      Math.exp(spread * normal() - spread ** 2 / 2) * (uniform() < stragglers.share ? stragglers.factor : 1);
    const adding = merge !== 'driver' && task >= used ? job.addSeconds : 0;
    const end = free.take() + dispatch + job.taskSeconds * factor + adding;
    ends.push(end);
    free.add(end);
  }
  const computed = ends.reduce((last, end) => Math.max(last, end), 0);
  if (merge === 'tree') {
    // The two sums that are ready first become one: a tree of the depth ⌈log₂ executors⌉ where all are ready at once.
    let left = used;
    for (; left > 1; left--) free.add(Math.max(free.take(), free.take()) + transfer + job.addSeconds);
    const [moved, received] = [used * job.resultBytes, job.resultBytes];
    return { seconds: free.take() + transfer, computed, moved, received };
  }
  const arrivals = merge === 'driver' ? ends.sort((a, b) => a - b) : free.all();
  let [received, added] = [0, 0];
  for (const ready of arrivals) {
    // The link of the driver takes one result after the other; adding goes on while the next one comes.
    received = Math.max(received, ready) + transfer;
    added = Math.max(added, received) + job.addSeconds;
  }
  const moved = arrivals.length * job.resultBytes;
  return { seconds: added, computed, moved, received: moved };
}

/** Times in a heap: the earliest is taken first. */
class Times {
  readonly #heap: number[] = [];

  add(time: number): void {
    const heap = this.#heap;
    let at = heap.push(time) - 1;
    for (let up = (at - 1) >> 1; at > 0 && heap[up] > time; at = up, up = (at - 1) >> 1) heap[at] = heap[up];
    heap[at] = time;
  }

  take(): number {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop() as number;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= heap.length) break;
      if (down + 1 < heap.length && heap[down + 1] < heap[down]) down++;
      if (heap[down] >= last) break;
      heap[at] = heap[down];
      at = down;
    }
    heap[at] = last;
    return first;
  }

  /** All of them, earliest first. */
  all(): number[] {
    return [...this.#heap].sort((a, b) => a - b);
  }
}
