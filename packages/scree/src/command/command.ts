import type { Flag } from './flags.js';

/** A command as it is declared: enough for help and completion, without loading what it does. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Words after the name, as the help shows them. */
  readonly words: string;
  /** How many words there must be. */
  readonly least: number;
  readonly most: number;
  readonly flags: readonly Flag[];
  readonly examples: readonly (readonly [line: string, what: string])[];
  load(): Promise<{ run: Run }>;
}

export interface Call {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Runs the command. */
export type Run = (call: Call) => Promise<void>;
