// The `relay` command: parses its arguments, runs one command and returns the exit code. Loads only what every command
// needs, because `relay status` must be fast on a small machine.
import { RelayError } from '@relay/contract/errors';
import { VERSION } from '@relay/core/installation';
import { Argument, Command, CommanderError } from 'commander';
import { CLI_COMMANDS } from './catalogue.ts';
import type { CommandSpec } from './command.ts';
import type { CliConfig } from './config.ts';
import { reportFailure } from './failure.ts';
import { type Output, openTerminal, type Terminal } from './terminal.ts';

const FIRST_STEPS = `
First steps:
  relay init      set up and link your WhatsApp account
  relay status    see how it is
  relay open      see it in your browser

\`relay <command> --help\` says more about one. Add --json to any for programs.`;

interface OutputStreams {
  readonly out: Output;
  readonly err: Output;
}

/** One run of the command: what its subcommands need, and their exit code. */
interface Invocation {
  readonly config: CliConfig;
  readonly terminal: Terminal;
  exit: number;
}

/** Runs `relay` with these arguments; resolves to its exit code. */
export async function runProgram(
  args: readonly string[],
  config: CliConfig,
  { out, err }: OutputStreams,
): Promise<number> {
  const json = args.includes('--json');
  const terminal = openTerminal({ json, colour: config.colour }, out, err);
  const invocation: Invocation = { config, terminal, exit: 0 };
  try {
    const program = build(invocation, out);
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: 'user' });
    return invocation.exit;
  } catch (error) {
    const known = error instanceof CommanderError ? usage(error) : error;
    return known === null ? 0 : reportFailure(known, terminal);
  }
}

function build(invocation: Invocation, out: Output): Command {
  const program = new Command('relay')
    .description("AI agents on WhatsApp, under their owner's control.")
    .usage('<command> [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this')
    .option('--json', 'for programs: JSON on standard output')
    .helpCommand(false)
    // Options after a subcommand's name belong to the subcommand, also if the parent has one of that name.
    .enablePositionalOptions()
    .addHelpText('after', FIRST_STEPS)
    .configureHelp({
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map(term)].join(' '),
    })
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: () => {},
      outputError: () => {},
    })
    .exitOverride();
  add(program, CLI_COMMANDS, invocation);
  return program;
}

function add(parent: Command, specs: readonly CommandSpec[], invocation: Invocation): void {
  for (const spec of specs) {
    const made = command(spec, invocation).copyInheritedSettings(parent);
    add(made, spec.subcommands ?? [], invocation);
    parent.addCommand(made);
  }
}

const term = (argument: Argument): string =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;

function command(spec: CommandSpec, invocation: Invocation): Command {
  const made = new Command(spec.name).helpGroup(`${spec.group}:`).summary(spec.summary);
  made.description(`${spec.summary[0]?.toUpperCase()}${spec.summary.slice(1)}.`);
  for (const { syntax, summary, choices } of spec.arguments ?? []) {
    const argument = new Argument(syntax, summary);
    if (choices) argument.choices([...choices]);
    made.addArgument(argument);
  }
  for (const [flags, summary, fallback] of spec.options ?? []) {
    made.option(flags, summary, fallback);
  }
  made.option('--json', 'for programs: JSON on standard output');
  if (spec.helpFooter !== undefined) made.addHelpText('after', spec.helpFooter);
  return made.action(async () => {
    const { config, terminal } = invocation;
    try {
      const run = await spec.load();
      const exit = await run({
        config,
        terminal,
        args: made.args,
        options: made.opts(),
        commands: CLI_COMMANDS,
      });
      invocation.exit = exit ?? 0;
    } finally {
      terminal.clearTransient();
    }
  });
}

function usage(error: CommanderError): Error | null {
  if (error.exitCode === 0) return null;
  const said = error.message.replace(/^error: /, '').replace(/\n/g, ' ');
  const sentence = said.endsWith('.') ? said : `${said}.`;
  return new RelayError('usage', {
    what: `${sentence[0]?.toUpperCase()}${sentence.slice(1)} \`relay --help\` lists what there is.`,
  });
}
