// The `relay` command: parses its arguments, runs one command and returns the exit code. Loads only what every command
// needs, because `relay status` must be fast on a small machine.
import { RelayError } from '@relay/contract/errors';
import { VERSION } from '@relay/core/installation';
import { Argument, Command, CommanderError } from 'commander';
import { CLI_COMMANDS } from './catalogue.ts';
import { chooseAccount } from './chosen-account.ts';
import type { CommandSpec } from './command.ts';
import type { CliConfig } from './config.ts';
import { reportFailure } from './failure.ts';
import { formatRows } from './format.ts';
import { type Output, openTerminal, type Terminal } from './terminal.ts';

const DESCRIPTION = 'AI agents on WhatsApp, under their owner’s control.';
const JSON_OPTION = 'Print JSON';
const ACCOUNT_OPTION = 'Account (default: RELAY_ACCOUNT, or your default account)';

/** The commands that people start with, by what they want to do. `relay help all` shows the rest. */
const FIRST_COMMANDS = [
  ['Get started', ['init', 'demo']],
  ['See what is happening', ['status', 'open', 'list']],
  ['Work with your agents', ['chat', 'create', 'approvals']],
  ['Stay in control', ['grant', 'hold']],
] as const;

const MORE_HELP =
  '`relay help <command>` explains a command. Add --json to any command for JSON output.';

const SHORT_HELP = `${DESCRIPTION}

Usage: relay <command> [options]

${FIRST_COMMANDS.map(
  ([title, names]) =>
    `${title}:\n${formatRows(names.map((name) => [name.padEnd(9), summaryOf(name)])).join('\n')}`,
).join('\n\n')}

\`relay help all\` lists all commands.
${MORE_HELP}
`;

function summaryOf(name: string): string {
  const spec = CLI_COMMANDS.find((one) => one.name === name);
  if (spec === undefined) throw new Error(`There is no command ${name}.`);
  return spec.summary;
}

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
    if (args[0] === 'help')
      showHelp(
        program,
        args.slice(1).filter((arg) => !arg.startsWith('-')),
        out,
      );
    else if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: 'user' });
    return invocation.exit;
  } catch (error) {
    return error instanceof CommanderError ? 0 : reportFailure(error, terminal);
  }
}

function build(invocation: Invocation, out: Output): Command {
  const program = new Command('relay')
    .description(DESCRIPTION)
    .usage('<command> [options]')
    .version(VERSION, '-v, --version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .option('--json', JSON_OPTION)
    .option('--account <name>', ACCOUNT_OPTION)
    .helpCommand(false)
    // Options after a subcommand's name belong to the subcommand, also if the parent has one of that name.
    .enablePositionalOptions()
    .configureHelp({
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map(term)].join(' '),
    })
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: () => {},
      outputError: () => {},
    })
    .exitOverride((error) => refuse(error, 'relay help all'));
  add(program, CLI_COMMANDS, invocation);
  program.helpInformation = () => SHORT_HELP;
  return program;
}

function showHelp(program: Command, names: readonly string[], out: Output): void {
  if (names.length === 1 && names[0] === 'all') {
    const everything = Command.prototype.helpInformation.call(program);
    out.write(`${everything}\n${MORE_HELP}\n`);
    return;
  }
  let found = program;
  for (const name of names) {
    const next = found.commands.find((one) => one.name() === name);
    if (next === undefined)
      throw new RelayError('usage', {
        what: `Unknown command '${names.join(' ')}'. See \`relay help all\`.`,
      });
    found = next;
  }
  found.outputHelp();
}

function add(
  parent: Command,
  specs: readonly CommandSpec[],
  invocation: Invocation,
  path = 'relay',
): void {
  for (const spec of specs) {
    const name = `${path} ${spec.name}`;
    const made = command(spec, invocation)
      .copyInheritedSettings(parent)
      .exitOverride((error) => refuse(error, `${name} --help`));
    add(made, spec.subcommands ?? [], invocation, name);
    parent.addCommand(made);
  }
}

const term = (argument: Argument): string =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;

function command(spec: CommandSpec, invocation: Invocation): Command {
  const made = new Command(spec.name).helpGroup(`${spec.group}:`).summary(spec.summary);
  made.description(`${spec.summary}.`);
  for (const { syntax, summary, choices } of spec.arguments ?? []) {
    const argument = new Argument(syntax, summary);
    if (choices) argument.choices([...choices]);
    made.addArgument(argument);
  }
  for (const [flags, summary, fallback] of spec.options ?? []) {
    made.option(flags, summary, fallback);
  }
  made.option('--json', JSON_OPTION);
  made.option('--account <name>', ACCOUNT_OPTION);
  if (spec.helpFooter !== undefined) made.addHelpText('after', spec.helpFooter);
  return made.action(async () => {
    const { config, terminal } = invocation;
    try {
      chooseAccount(accountOf(made) ?? config.account);
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

/** `--account` may be given before or after the name of a subcommand. */
function accountOf(command: Command): string | null {
  for (let each: Command | null = command; each !== null; each = each.parent) {
    const { account } = each.opts<{ account?: string }>();
    if (account !== undefined) return account;
  }
  return null;
}

/** Commander's sentence about an argument outside its choices. */
const WRONG_CHOICE =
  /^command-argument value ('.*') is invalid for argument '(\S+)'\. Allowed choices are (.+)\.$/;

/** Ends a run that commander has refused; help and version are not failures. */
function refuse(error: CommanderError, help: string): never {
  if (error.exitCode === 0) throw error;
  const text = error.message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(WRONG_CHOICE, '$1 is not a valid <$2>. Use one of: $3.');
  const sentence = text.endsWith('.') ? text : `${text}.`;
  throw new RelayError('usage', {
    what: `${sentence[0]?.toUpperCase()}${sentence.slice(1)} See \`${help}\`.`,
  });
}
