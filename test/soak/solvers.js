/**
 * Every `blocking` × every solver × many shapes, in processes that fit one after the other. A fit that has not ended after a minute is a hang: its
 * process is killed, and the program that shows it is printed. The results for all ways of `blocking` must have the same bits.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const BLOCKING = ['none', 'short', 'full'];
const SOLVERS = ['covariance', 'refined', 'dual', 'svd', 'krylov', 'streaming', 'points', 'autoencoder', 'hebbian'];
/** Solvers that form a matrix of all columns, or of all rows. */
const TALL = ['covariance', 'refined', 'autoencoder'];
const WIDE = ['dual'];
const THREADS = [2, 3, undefined];
const LIMIT = 60_000;
/** Fits per process: a new process starts its workers during the first fits, which was when fits hung. */
const FITS = 18;

const program = fileURLToPath(new URL('./fits.js', import.meta.url));

/** Sizes for which passes use workers, most of them: the smaller side 8 to 500, and 100,000 to 1,000,000 values. The same ones every time. */
function shapes(count) {
  let state = 25;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, () => {
    const small = Math.round(8 * 62 ** random());
    return [small, Math.max(small, Math.round((100_000 * 10 ** random()) / small))];
  });
}

/** The cases of one round, those of a shape and solver next to each other. */
function casesOf(count, round) {
  return shapes(count).flatMap(([small, large], s) =>
    SOLVERS.flatMap((solver) => {
      const tall = TALL.includes(solver) || (!WIDE.includes(solver) && s % 2 === 0);
      const [rows, cols] = tall ? [large, small] : [small, large];
      return BLOCKING.map((blocking, b) => {
        const threads = THREADS[(s + b + round) % THREADS.length];
        const learn = ['points', 'autoencoder', 'hebbian'].includes(solver) ? { learn: { epochs: 30 } } : {};
        return { rows, cols, options: { k: Math.min(4 + (s % 8), small - 1), solver, blocking, threads, ...learn } };
      });
    }),
  );
}

/** Fits the cases in one process, as far as it gets: the results, and whether it had to be killed. */
async function fitAll(node, library, cases) {
  const child = spawn(node, [program, library, JSON.stringify(cases)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const results = [];
  let hung = false;
  const kill = () => {
    hung = true;
    child.kill('SIGKILL');
  };
  let timer = setTimeout(kill, LIMIT);
  const ended = new Promise((resolve) => child.on('close', resolve));
  for await (const line of createInterface(child.stdout)) {
    results.push(JSON.parse(line));
    clearTimeout(timer);
    timer = setTimeout(kill, LIMIT);
  }
  const code = await ended;
  clearTimeout(timer);
  return { results, hung, code };
}

/** Returns the number of fits, of hangs and of other failures. */
export async function soakSolvers({ node, library, shapes: count, rounds, jobs }) {
  const totals = { fits: 0, hangs: 0, failures: 0 };
  const show = (what, { rows, cols, options }) =>
    console.log(`${what}: ${node} ${program} ${library} '${JSON.stringify([{ rows, cols, options }])}'`);
  for (let round = 0; round < rounds; round++) {
    const cases = casesOf(count, round);
    const digests = new Map();
    const check = (one, { result }) => {
      const { blocking: _, threads: __, ...options } = one.options;
      const key = JSON.stringify({ ...one, options });
      const known = digests.get(key) ?? result;
      digests.set(key, known);
      totals.fits++;
      const ended = /^[0-9a-f]{12}$/.test(result) || result === 'NOT_CONVERGED';
      if (ended && result === known) return;
      totals.failures++;
      show(ended ? `other bits than for another blocking, ${result} and ${known}` : result, one);
    };
    let next = 0;
    const work = async () => {
      while (next < cases.length) {
        let left = cases.slice(next, next + FITS);
        next += FITS;
        while (left.length > 0) {
          const { results, hung, code } = await fitAll(node, library, left);
          results.forEach((result, i) => void check(left[i], result));
          left = left.slice(results.length);
          // The process ends after its last fit; that it does not is a hang as well.
          if (hung) totals.hangs++;
          else if (code !== 0) totals.failures++;
          if (hung || code !== 0) show(hung ? 'hang' : `exit ${code}`, left[0] ?? cases[next - 1] ?? cases.at(-1));
          left = left.slice(1);
        }
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    console.log(
      `round ${round + 1} of ${rounds}: ${totals.fits} fits, ${totals.hangs} hangs, ${totals.failures} failures`,
    );
  }
  return totals;
}
