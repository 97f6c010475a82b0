import { describeValue, OptionError } from '../errors.js';
import type { Blocking, Progress } from './progress.js';
import { unknownOption } from './suggest-option.js';

/** Options of every call that reads data: report progress, cancel, and limit the threads. */
export interface ControlOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of threads of a pass. The result does not depend on it. Default: the number of threads of the machine. */
  readonly threads?: number | undefined;
  /**
   * How long the calling thread may be blocked: `'none'` leaves all work but copying to workers, `'short'` works for up to 8 ms at a time,
   * and `'full'` works until it has to wait. The result does not depend on it. Default `'short'`.
   */
  readonly blocking?: Blocking | undefined;
}

/** Accepted values of an option: a test, and the end of the sentence "it must be …". */
export interface OptionCheck {
  readonly must: string;
  readonly test: (value: unknown) => boolean;
}

/** Accepted values of the control options. */
export const CONTROL_OPTIONS: Record<keyof ControlOptions, OptionCheck> = {
  onProgress: { must: 'a function', test: (v) => typeof v === 'function' },
  signal: {
    must: 'an AbortSignal',
    test: (v) => typeof v === 'object' && v !== null && 'throwIfAborted' in v,
  },
  threads: {
    must: 'a whole number from 1 to 256',
    test: (v) => Number.isSafeInteger(v) && (v as number) >= 1 && (v as number) <= 256,
  },
  blocking: { must: "'none', 'short' or 'full'", test: (v) => v === 'none' || v === 'short' || v === 'full' },
};

/** Checks the control options of a call that reads data. If `own` names its further options, no others are accepted. */
export function checkControl<Options extends ControlOptions>(options: Options, own?: readonly string[]): Options {
  checkObject(options);
  if (own) {
    const names = [...own, ...Object.keys(CONTROL_OPTIONS)];
    const unknown = Object.keys(options).find((option) => !names.includes(option));
    if (unknown !== undefined) throw unknownOption(unknown, names);
  }
  for (const option of ['signal', 'onProgress', 'threads', 'blocking'] as const) {
    if (options[option] !== undefined) checkOption(option, options[option], CONTROL_OPTIONS[option]);
  }
  return options;
}

/** Throws unless options are an object. */
export function checkObject(options: unknown): void {
  if (typeof options === 'object' && options !== null) return;
  throw new OptionError('BAD_OPTION', `Options must be an object, not ${describeValue(options)}.`, { value: options });
}

/** Throws if the value of an option is not accepted. */
export function checkOption(option: string, value: unknown, { must, test }: OptionCheck): void {
  if (test(value)) return;
  const code = option === 'k' ? 'K_OUT_OF_RANGE' : option === 'weights' ? 'BAD_WEIGHTS' : 'BAD_OPTION';
  throw new OptionError(code, `${option} is ${describeValue(value)}; it must be ${must}.`, { option, value });
}
