/**
 * Runs one command line after another in the same process, for tests of what commands print and write. A process of its own takes 0.4 s
 * of a processor for each command, most of it for loading and compiling the same code again.
 *
 * Arguments: the module of `main`, and the pipe that replies go to. Requests come from standard input, each a line of JSON,
 * `{ args, folder }`. The first reply is "ready", and every other one the exit code of a command. Standard output and standard error
 * are files, which the test empties.
 */

import { openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

/** Milliseconds after which a command that has not ended is killed, with the process. */
const LONGEST = 60_000;

if (isMainThread) await serve(process.argv.slice(2));
else watch();

/** @param {string[]} paths */
async function serve([module, replies]) {
  const { main } = await import(module);
  const watcher = new Worker(new URL(import.meta.url));
  const out = openSync(replies, 'w');
  writeSync(out, 'ready\n');
  for await (const line of createInterface({ input: process.stdin })) {
    const { args, folder } = JSON.parse(line);
    process.chdir(folder);
    watcher.postMessage('begins');
    const code = await main(args);
    watcher.postMessage('ended');
    // Every command listens for errors of the streams that it prints to.
    process.stdout.removeAllListeners('error');
    process.stderr.removeAllListeners('error');
    writeSync(out, `${code}\n`);
  }
  process.exit();
}

/** In a thread of its own, because a command that hangs may block the event loop. */
function watch() {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  // The process that runs the tests may be killed, and then nobody ends this one.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGKILL'), 1000);
  parentPort?.on('message', (message) => {
    clearTimeout(timer);
    if (message === 'begins') timer = setTimeout(() => process.kill(process.pid, 'SIGKILL'), LONGEST);
  });
}
