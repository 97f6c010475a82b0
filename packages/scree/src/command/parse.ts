import { nearestName } from '@scree/core/names';
import type { Flag } from './flags.js';
import { UsageError } from './usage-error.js';

export interface Parsed {
  readonly positionals: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
}

/** Splits a command line into positional arguments and flags: `--name value`, `--name=value`, `-k value`, `-k10`. Everything after `--` is positional. */
export function parse(args: readonly string[], flags: readonly Flag[]): Parsed {
  const positionals: string[] = [];
  const found: Record<string, unknown> = {};
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === '--') {
      positionals.push(...args.slice(i + 1));
      break;
    }
    if (arg === '-' || !arg.startsWith('-')) {
      positionals.push(arg);
      continue;
    }
    const { flag, shown, given } = findFlag(arg, flags);
    if (flag.name in found) throw new UsageError(`${shown} is given twice.`);
    if (!flag.read) {
      if (given !== undefined) throw new UsageError(`${shown} takes no value.`);
      found[flag.name] = true;
      continue;
    }
    const value = given ?? args[++i];
    if (value === undefined) throw new UsageError(`${shown} needs a value: ${shown} ${flag.value}.`);
    const read = flag.read(value);
    if ('must' in read) throw new UsageError(`${shown} is ${JSON.stringify(value)}; it must ${read.must}.`);
    found[flag.name] = read.value;
  }
  return { positionals, flags: found };
}

function findFlag(arg: string, flags: readonly Flag[]): { flag: Flag; shown: string; given: string | undefined } {
  if (arg.startsWith('--')) {
    const equals = arg.indexOf('=');
    const name = arg.slice(2, equals < 0 ? undefined : equals);
    const flag = flags.find((one) => one.name === name);
    if (flag) return { flag, shown: `--${name}`, given: equals < 0 ? undefined : arg.slice(equals + 1) };
    const names = flags.map((one) => one.name);
    const meant = nearestName(name, names, 2);
    throw new UsageError(`There is no flag --${name}.${meant ? ` Did you mean --${meant}?` : ''}`);
  }
  const flag = flags.find((one) => one.short === arg[1]);
  if (flag) return { flag, shown: `-${arg[1]}`, given: arg.length > 2 ? arg.slice(2).replace(/^=/, '') : undefined };
  const spelled = flags.find((one) => one.name === arg.slice(1));
  throw new UsageError(`There is no flag ${arg}.${spelled ? ` Did you mean --${spelled.name}?` : ''}`);
}
