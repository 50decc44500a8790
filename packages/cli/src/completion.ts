// Completion scripts for bash, zsh and fish, written out from the catalogue: no command is run while
// a person types. Pure.
import type { CommandSpec } from './command.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

const flagsOf = (spec: CommandSpec): string[] => [
  ...(spec.options ?? []).flatMap(([flags]) =>
    flags
      .replace(/ <.*/, '')
      .split(', ')
      .filter((flag) => flag.startsWith('--')),
  ),
  '--json',
  '--help',
];

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function completion(shell: Shell, commands: readonly CommandSpec[]): string {
  return { bash, zsh, fish }[shell](commands);
}

function bash(commands: readonly CommandSpec[]): string {
  const cases = commands.map((spec) => {
    const words = [...(spec.argument?.choices ?? []), ...flagsOf(spec)].join(' ');
    const files = spec.argument?.file ? ' -f' : '';
    return `    ${spec.name}) COMPREPLY=($(compgen${files} -W ${quoted(words)} -- "$cur")) ;;`;
  });
  return `# relay completion for bash: eval "$(relay completion bash)"
_relay() {
  local cur="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted([...commands.map((spec) => spec.name), '--help', '--version'].join(' '))} -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
}
complete -o filenames -F _relay relay
`;
}

function zsh(commands: readonly CommandSpec[]): string {
  const names = commands.map((spec) => `    ${quoted(`${spec.name}:${spec.summary}`)}`);
  const cases = commands.map((spec) => {
    const rest = spec.argument?.choices
      ? ` '1:${spec.name}:(${spec.argument.choices.join(' ')})'`
      : spec.argument?.file
        ? " '1:file:_files'"
        : '';
    return `    ${spec.name}) _arguments ${flagsOf(spec).join(' ')}${rest} ;;`;
  });
  return `#compdef relay
# relay completion for zsh: eval "$(relay completion zsh)"
_relay() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
compdef _relay relay
`;
}

function fish(commands: readonly CommandSpec[]): string {
  const lines = commands.flatMap((spec) => {
    const within = `complete -c relay -n '__fish_seen_subcommand_from ${spec.name}'`;
    return [
      `complete -c relay -n __fish_use_subcommand -f -a ${spec.name} -d ${quoted(spec.summary)}`,
      ...flagsOf(spec).map((flag) => `${within} -l ${flag.slice(2)}`),
      ...(spec.argument?.choices ?? []).map((choice) => `${within} -f -a ${choice}`),
      ...(spec.argument?.file ? [`${within} -F`] : []),
    ];
  });
  return `# relay completion for fish: relay completion fish | source\n${lines.join('\n')}\n`;
}
