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

function flagsOf(name: string): string[] {
  const command = COMMANDS.find((one) => one.name === name);
  return command?.flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short ? [`-${flag.short}`] : [])]) ?? [];
}

function bash(): string {
  const cases = COMMANDS.map(({ name }) => `    ${name}) flags="${flagsOf(name).join(' ')}" ;;`);
  return [
    '_scree() {',
    `  local word="$\{COMP_WORDS[COMP_CWORD]}" flags=""`,
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${COMMANDS.map(({ name }) => name).join(' ')}" -- "$word"))`,
    '    return',
    '  fi',
    `  case "$\{COMP_WORDS[1]}" in`,
    ...cases,
    '  esac',
    '  case "$word" in',
    '    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;',
    '    *) COMPREPLY=($(compgen -f -- "$word")) ;;',
    '  esac',
    '}',
    'complete -o filenames -F _scree scree',
    '',
  ].join('\n');
}

/** zsh reads bash's. */
function zsh(): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash()}`;
}

function fish(): string {
  const quote = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = COMMANDS.flatMap(({ name, summary, flags }) => [
    `complete -c scree -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ...flags.map(
      (flag) =>
        `complete -c scree -n '__fish_seen_subcommand_from ${name}' -l ${flag.name}${flag.short ? ` -s ${flag.short}` : ''}${flag.value ? ' -r' : ''} -d ${quote(flag.what)}`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}
