import type { Call } from './command.js';
import { COMMANDS } from './commands.js';
import { print } from './print.js';
import { UsageError } from './usage-error.js';

/** `scree completion`: a script that completes commands, flags and their values, for the named shell. */
export async function run({ positionals: [shell] }: Call): Promise<void> {
  const make = { bash, zsh, fish }[shell as 'bash' | 'zsh' | 'fish'];
  if (!make) throw new UsageError(`There is completion for bash, zsh and fish, not for ${shell}.`);
  print(make());
}

const NAMES = COMMANDS.map(({ name }) => name).join(' ');
/** Values of the positional argument of commands that do not take a file. */
const POSITIONALS: Readonly<Record<string, string>> = { completion: 'bash zsh fish', help: NAMES };

function flagsOf(name: string): string[] {
  const command = COMMANDS.find((one) => one.name === name);
  return command?.flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short ? [`-${flag.short}`] : [])]) ?? [];
}

function bash(): string {
  const choicesOf = new Map(
    COMMANDS.flatMap(({ flags }) => flags.map(({ name, choices }) => [name, choices] as const)),
  );
  const values = [...choicesOf].flatMap(([name, choices]) =>
    choices ? [`    --${name}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$word")); return ;;`] : [],
  );
  const flags = COMMANDS.map(({ name }) => `    ${name}) flags="${flagsOf(name).join(' ')}" ;;`);
  const positionals = Object.entries(POSITIONALS).map(
    ([name, values]) => `    ${name}) COMPREPLY=($(compgen -W "${values}" -- "$word")); return ;;`,
  );
  return [
    '_scree() {',
    `  local word="$\{COMP_WORDS[COMP_CWORD]}" before="$\{COMP_WORDS[COMP_CWORD-1]}" flags=""`,
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${NAMES} help" -- "$word"))`,
    '    return',
    '  fi',
    '  case "$before" in',
    ...values,
    '  esac',
    `  case "$\{COMP_WORDS[1]}" in`,
    ...flags,
    '  esac',
    '  case "$word" in',
    '    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")); return ;;',
    '  esac',
    `  case "$\{COMP_WORDS[1]}" in`,
    ...positionals,
    '  esac',
    // File names may contain spaces.
    "  local IFS=$'\\n'",
    '  COMPREPLY=($(compgen -f -- "$word"))',
    '}',
    'complete -o filenames -F _scree scree',
    '',
  ].join('\n');
}

/** zsh can run the script for bash once its own completion is loaded. */
function zsh(): string {
  return [
    '(( $+functions[compdef] )) || { autoload -U compinit && compinit }',
    'autoload -U +X bashcompinit && bashcompinit',
    bash(),
  ].join('\n');
}

function fish(): string {
  const quote = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = COMMANDS.flatMap(({ name, summary, flags }) => [
    `complete -c scree -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
    ...flags.map((flag) => {
      const value = flag.choices ? ` -x -a ${quote(flag.choices.join(' '))}` : flag.value ? ' -r' : '';
      return `complete -c scree -n '__fish_seen_subcommand_from ${name}' -l ${flag.name}${flag.short ? ` -s ${flag.short}` : ''}${value} -d ${quote(flag.what)}`;
    }),
  ]);
  const positionals = Object.entries(POSITIONALS).map(
    ([name, values]) => `complete -c scree -n '__fish_seen_subcommand_from ${name}' -f -a ${quote(values)}`,
  );
  return `${[...lines, ...positionals].join('\n')}\n`;
}
