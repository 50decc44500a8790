// Where the `relay` command begins. Only what every command needs is loaded here: `relay status`
// must feel immediate on a small machine.
import { RelayError } from '@relay/core/errors';
import { VERSION } from '@relay/core/version';
import { Argument, Command, CommanderError } from 'commander';
import { COMMANDS } from './catalogue.ts';
import type { CommandSpec } from './command.ts';
import { loadConfig } from './config.ts';
import { sayFailure } from './failure.ts';
import { openTerminal } from './terminal.ts';

const FIRST_STEPS = `
First steps:
  relay init      set up and link your WhatsApp account
  relay status    see how it is
  relay open      see it in your browser

\`relay <command> --help\` says more about one. Add --json to any for programs.`;

const config = loadConfig();
const wantsJson = process.argv.includes('--json');

function build(): Command {
  const program = new Command('relay')
    .description("AI agents on WhatsApp, under their owner's control.")
    .usage('<command> [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this')
    .option('--json', 'for programs: JSON on standard output')
    .helpCommand(false)
    // What follows the name of a subcommand is that one's, also where both know an option of that name.
    .enablePositionalOptions()
    .addHelpText('after', FIRST_STEPS)
    .configureHelp({
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map(term)].join(' '),
    })
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
    .exitOverride();
  add(program, COMMANDS);
  return program;
}

function add(parent: Command, specs: readonly CommandSpec[]): void {
  for (const spec of specs) {
    const made = command(spec).copyInheritedSettings(parent);
    add(made, spec.subcommands ?? []);
    parent.addCommand(made);
  }
}

const term = (argument: Argument): string =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;

function command(spec: CommandSpec): Command {
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
  if (spec.more !== undefined) made.addHelpText('after', spec.more);
  return made.action(async () => {
    const terminal = openTerminal({ json: wantsJson, colour: config.colour });
    try {
      const { run } = await spec.load();
      const exit = await run({
        config,
        terminal,
        args: made.args,
        options: made.opts(),
        commands: COMMANDS,
      });
      process.exitCode = exit ?? 0;
    } finally {
      terminal.settle();
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

function report(error: unknown): void {
  const known = error instanceof CommanderError ? usage(error) : error;
  if (known === null) return;
  process.exitCode = sayFailure(known, wantsJson);
}

// A reader that has seen enough (`relay logs | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  const program = build();
  if (process.argv.length <= 2) program.outputHelp();
  else await program.parseAsync();
} catch (error) {
  report(error);
}
