import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { nearestName } from '@scree/core/names';
import { hidePassword } from '../database/postgres-url.js';
import type { Command } from './command.js';
import { COMMANDS } from './commands.js';
import { escapeLine, escapeText } from './escape.js';
import { FailedCheck } from './failed-check.js';
import { commandHelp, generalHelp } from './help.js';
import { limitHeap } from './limit-heap.js';
import { type Parsed, parse } from './parse.js';
import { PrintError, print } from './print.js';
import { UsageError } from './usage-error.js';

/** Signals that end a command: Ctrl-C, termination by the system, and a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Milliseconds that an interrupted command has to end. */
const GRACE_PERIOD = 1000;

/**
 * Runs a command line. Returns the exit code: 0 success, 1 an error, 2 wrong usage, 3 a check that failed, 128 plus the number of the signal that
 * ended it: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.
 */
export async function main(given: readonly string[]): Promise<number> {
  // Nothing that prints or stores an argument sees a password.
  const args = given.map(hidePassword);
  let command: Command | undefined;
  let debug = args.includes('--debug');
  let done = false;
  const controller = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => {
    const interrupted = new Interrupted(128 + constants.signals[signal]);
    // A second Ctrl-C does not wait.
    if (controller.signal.aborted) process.exit(interrupted.exitCode);
    controller.abort(interrupted);
    // Some work does not notice the abort: waiting for standard input, or a long query. Half-written files are removed
    // at the exit.
    const leave = async (): Promise<never> =>
      done ? process.exit() : process.exit(await reportError(interrupted, command, debug));
    setTimeout(() => void leave(), GRACE_PERIOD).unref();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  // The reader of a pipe may stop early: `scree fit … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`scree: ${oneLine(new PrintError(error).message)}\n`);
    process.exit(1);
  });
  // If standard error is closed, the work still goes on.
  process.stderr.on('error', () => {});
  try {
    const [name, ...rest] = args;
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      const about = rest[0] === undefined ? undefined : find(rest[0]);
      print(about ? commandHelp(about) : generalHelp(COMMANDS, version()));
      return name === undefined ? 2 : 0;
    }
    if (name === '--version' || name === '-V' || name === 'version') {
      print(`${version()}\n`);
      return 0;
    }
    command = find(name);
    if (rest.includes('--help') || rest.includes('-h')) {
      print(commandHelp(command));
      return 0;
    }
    const parsed = parse(rest, command.flags);
    debug = parsed.flags.debug === true;
    checkPositionals(parsed, command);
    const { memory } = parsed.flags;
    if (typeof memory === 'number') limitHeap(memory);
    const { load } = command;
    await keepAlive(async () => {
      const { run } = await load();
      await run({ ...parsed, signal: controller.signal });
    });
    return 0;
  } catch (error) {
    return await reportError(error, command, debug);
  } finally {
    done = true;
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super();
    this.exitCode = exitCode;
  }
}

/**
 * Keeps the event loop running while a command does, and before Node 22 for a moment longer: packages/core/src/base/keep-alive.ts
 * says why. Core is loaded last, because some commands do not need it.
 */
async function keepAlive(work: () => Promise<void>): Promise<void> {
  const timer = setInterval(() => {}, 2 ** 31 - 1);
  try {
    await work();
  } finally {
    if (Number.parseInt(process.versions.node, 10) < 22) {
      const core = await import('@scree/core/pipeline');
      await core.keepAlive(async () => {});
    }
    clearInterval(timer);
  }
}

function find(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name);
  if (command) return command;
  if (name.startsWith('-')) throw new UsageError(`Flags come after a command: scree fit ${name} …`);
  const meant = nearestName(
    name,
    COMMANDS.map((one) => one.name),
    2,
  );
  throw new UsageError(`There is no command ${name}.${meant ? ` Did you mean ${meant}?` : ''}`);
}

/** Returns true if --missing of a command can predict values: for a fit, and not for the rows of a model that --model names. */
function predictsMissing(command: Command | undefined): boolean {
  if (process.argv.some((word) => /^--model(=|$)/.test(word))) return false;
  return command?.flags.some(({ name, choices }) => name === 'missing' && choices?.includes('iterative')) ?? false;
}

function checkPositionals({ positionals }: Parsed, { name, usage, minPositionals, maxPositionals }: Command): void {
  if (positionals.length >= minPositionals && positionals.length <= maxPositionals) return;
  const given = positionals.length === 0 ? 'nothing' : positionals.join(' ');
  throw new UsageError(`scree ${name} takes ${usage || 'no arguments'}, not ${given}.`);
}

/** Prints an error as one line on standard error, with --debug also its stack. Returns the exit code. */
async function reportError(error: unknown, command: Command | undefined, debug: boolean): Promise<number> {
  const say = (line: string): void => void process.stderr.write(`${escapeLine(line)}\n`);
  if (process.stderr.isTTY && process.env.TERM !== 'dumb') process.stderr.write('\r\x1b[K');
  if (error instanceof UsageError) {
    say(`scree: ${error.message}`);
    say(`Try: scree ${command ? `${command.name} ` : ''}--help`);
    return 2;
  }
  if (error instanceof FailedCheck) {
    say(`scree: ${error.message}`);
    return 3;
  }
  if (error instanceof Interrupted) {
    say('scree: interrupted; nothing was left half-written.');
    return error.exitCode;
  }
  if (debug)
    process.stderr.write(`${escapeText(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
  const { ScreeError } = await import('@scree/core');
  if (error instanceof ScreeError) {
    const { describeError } = await import('./describe-error.js');
    say(`scree: ${oneLine(describeError(error, { predicts: predictsMissing(command) }))}`);
    return 1;
  }
  const known = (error as NodeJS.ErrnoException | undefined)?.code;
  if (!debug) {
    const message = error instanceof Error ? oneLine(error.message) : String(error);
    say(known ? `scree: ${message}` : `scree: this should not have happened: ${message} (--debug shows where)`);
  }
  return 1;
}

function oneLine(message: string): string {
  return message.replace(/\s*\n\s*/g, ' ');
}

/** The version in package.json. */
function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
