// Generates the reference page of all commands, from the same table as help and completion.
import type { CommandSpec } from '../../packages/cli/src/command.ts';
import { escaped, sentence } from './words.ts';

const INTRODUCTION = `# Commands

Made from the catalogue of the command by \`npm run generate\`: it says what \`relay <command> --help\` says.

Every command takes \`--json\` (one JSON value, or one a line where it goes on) and \`--help\`. Results go to standard output, everything else to standard error. Exit codes: 0 well, 1 failed or something to mend, 2 not understood, 3 the daemon does not run, 4 not found, 5 not possible now, 6 not allowed, 7 too many requests, 8 the daemon or its database could not do it. \`relay create --wait\` has [more of its own](../conversations.md#for-programs).
`;

export function commandsPage(commands: readonly CommandSpec[]): string {
  const groups = new Map<string, CommandSpec[]>();
  for (const command of commands)
    groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  const parts = [...groups].map(
    ([group, members]) =>
      `## ${group}\n\n${members.map((command) => entry(command, 'relay')).join('\n')}`,
  );
  return `${INTRODUCTION}\n${parts.join('\n')}`;
}

function entry(command: CommandSpec, before: string): string {
  const {
    name,
    summary,
    arguments: given = [],
    options = [],
    helpFooter,
    subcommands = [],
  } = command;
  const called = `${before} ${name}`;
  const usage = [called, ...given.map(({ syntax }) => syntax)].join(' ');
  const lines = [
    ...given.map(({ syntax, summary: says }) => `- \`${syntax}\`: ${escaped(says)}`),
    ...options.map(
      ([flags, says, fallback]) =>
        `- \`${flags}\`: ${escaped(says)}${fallback === undefined ? '' : `; \`${fallback}\` unless given`}`,
    ),
  ];
  const explained = helpFooter === undefined ? '' : `\n\`\`\`text\n${helpFooter.trim()}\n\`\`\`\n`;
  const list = lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
  const own = `### \`${usage}\`\n\n${sentence(summary)}\n${list}${explained}`;
  return [own, ...subcommands.map((one) => entry(one, called))].join('\n');
}
