import type { Flag } from './flags.js';

/** The declaration of a command: enough for help and completion, without loading its code. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The positional arguments as the help shows them: `MODEL DATA`. */
  readonly usage: string;
  readonly minPositionals: number;
  readonly maxPositionals: number;
  readonly flags: readonly Flag[];
  readonly examples: readonly (readonly [line: string, what: string])[];
  load(): Promise<{ run: RunCommand }>;
}

export interface Call {
  /** Arguments that are neither flags nor their values. */
  readonly positionals: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Runs the command. */
export type RunCommand = (call: Call) => Promise<void>;
