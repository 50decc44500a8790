// `relay completion`: prints a completion script for bash, zsh or fish.
import type { CommandSpec, RunCommand } from '../command.ts';

export const printCompletionCommand: RunCommand = async ({ terminal, args, commands }) => {
  const shell = args[0] as CompletionShell;
  const script = buildCompletionScript(shell, commands);
  if (terminal.json) terminal.writeJson({ shell, script });
  else terminal.writeLine(script.trimEnd());
  return 0;
};

// Generates the scripts from the catalogue, so that no command runs while a person types. Pure.

type CompletionShell = 'bash' | 'zsh' | 'fish';

const flagsOf = (spec: CommandSpec): string[] => {
  const own = [spec, ...(spec.subcommands ?? [])].flatMap(({ options = [] }) =>
    options.flatMap(([flags]) => flags.replace(/ <.*/, '').split(', ')),
  );
  return [...new Set(own.filter((flag) => flag.startsWith('--'))), '--json', '--help'];
};

/** Options with the values that can follow them, such as `--state`. */
const valuesOf = (spec: CommandSpec): [flag: string, values: readonly string[]][] =>
  Object.entries(spec.values ?? {});

/** The words that can follow a command: its subcommands and the choices of its arguments. */
const wordsOf = (spec: CommandSpec): string[] => [
  ...(spec.subcommands ?? []).map(({ name }) => name),
  ...(spec.arguments ?? []).flatMap(({ choices = [] }) => choices),
];

const takesFile = (spec: CommandSpec): boolean =>
  (spec.arguments ?? []).some(({ file }) => file === true);

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function buildCompletionScript(
  shell: CompletionShell,
  commands: readonly CommandSpec[],
): string {
  return { bash, zsh, fish }[shell](commands);
}

function bash(commands: readonly CommandSpec[]): string {
  const cases = commands.map((spec) => {
    const words = [...wordsOf(spec), ...flagsOf(spec)].join(' ');
    const files = takesFile(spec) ? ' -f' : '';
    const offer = (what: string) => `COMPREPLY=($(compgen${what} -- "$cur")) ;;`;
    return [
      ...valuesOf(spec).map(
        ([flag, values]) =>
          `    ${spec.name}:${flag}) ${offer(` -W ${quoteForShell(values.join(' '))}`)}`,
      ),
      `    ${spec.name}:*) ${offer(`${files} -W ${quoteForShell(words)}`)}`,
    ].join('\n');
  });
  return `# relay completion for bash: eval "$(relay completion bash)"
_relay() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoteForShell([...commands.map((spec) => spec.name), '--help', '--version'].join(' '))} -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]}:$prev" in
${cases.join('\n')}
  esac
}
complete -o filenames -F _relay relay
`;
}

function zsh(commands: readonly CommandSpec[]): string {
  const names = commands.map((spec) => `    ${quoteForShell(`${spec.name}:${spec.summary}`)}`);
  const cases = commands.map((spec) => {
    const words = wordsOf(spec);
    const named = words.length === 0 ? '' : ` '1:${spec.name}:(${words.join(' ')})'`;
    const rest = takesFile(spec) ? " '1:file:_files'" : named;
    const values = new Map(valuesOf(spec));
    const flags = flagsOf(spec).map((flag) => {
      const offered = values.get(flag);
      return offered === undefined
        ? flag
        : quoteForShell(`${flag}:${flag.slice(2)}:(${offered.join(' ')})`);
    });
    return `    ${spec.name}) _arguments ${flags.join(' ')}${rest} ;;`;
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
      `complete -c relay -n __fish_use_subcommand -f -a ${spec.name} -d ${quoteForShell(spec.summary)}`,
      ...flagsOf(spec).map((flag) => `${within} -l ${flag.slice(2)}`),
      ...valuesOf(spec).map(
        ([flag, values]) =>
          `${within} -x -l ${flag.slice(2)} -a ${quoteForShell(values.join(' '))}`,
      ),
      ...wordsOf(spec).map((choice) => `${within} -f -a ${choice}`),
      ...(takesFile(spec) ? [`${within} -F`] : []),
    ];
  });
  return `# relay completion for fish: relay completion fish | source\n${lines.join('\n')}\n`;
}
