import type { Call } from './command.js';
import { COMMANDS } from './commands.js';
import { print } from './print.js';
import { UsageError } from './usage-error.js';

/** `scree completion`: a script that completes commands, flags and their words, for the shell that is named. */
export async function run({ words: [shell] }: Call): Promise<void> {
  const make = { bash, zsh, fish }[shell as 'bash' | 'zsh' | 'fish'];
  if (!make) throw new UsageError(`There is completion for bash, zsh and fish, not for ${shell}.`);
  print(make());
}

const NAMES = COMMANDS.map(({ name }) => name).join(' ');
/** Commands whose own words are not files. */
const WORDS: Readonly<Record<string, string>> = { completion: 'bash zsh fish', help: NAMES };

function flagsOf(name: string): string[] {
  const command = COMMANDS.find((one) => one.name === name);
  return command?.flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short ? [`-${flag.short}`] : [])]) ?? [];
}

function bash(): string {
  const choices = new Map(COMMANDS.flatMap(({ flags }) => flags.map(({ name, words }) => [name, words] as const)));
  const values = [...choices].flatMap(([name, words]) =>
    words ? [`    --${name}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$word")); return ;;`] : [],
  );
  const flags = COMMANDS.map(({ name }) => `    ${name}) flags="${flagsOf(name).join(' ')}" ;;`);
  const words = Object.entries(WORDS).map(
    ([name, ones]) => `    ${name}) COMPREPLY=($(compgen -W "${ones}" -- "$word")); return ;;`,
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
    ...words,
    '  esac',
    // Names of files may have spaces.
    "  local IFS=$'\\n'",
    '  COMPREPLY=($(compgen -f -- "$word"))',
    '}',
    'complete -o filenames -F _scree scree',
    '',
  ].join('\n');
}

/** zsh reads bash's, once its own completion is there. */
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
      const value = flag.words ? ` -x -a ${quote(flag.words.join(' '))}` : flag.value ? ' -r' : '';
      return `complete -c scree -n '__fish_seen_subcommand_from ${name}' -l ${flag.name}${flag.short ? ` -s ${flag.short}` : ''}${value} -d ${quote(flag.what)}`;
    }),
  ]);
  const words = Object.entries(WORDS).map(
    ([name, ones]) => `complete -c scree -n '__fish_seen_subcommand_from ${name}' -f -a ${quote(ones)}`,
  );
  return `${[...lines, ...words].join('\n')}\n`;
}
