// Generates the reference page of all commands, from the same table as help and completion.
import type { CommandSpec } from '../../packages/cli/src/command.ts';
import { escaped, sentence } from './words.ts';

const INTRODUCTION = `# Commands

All commands, with the texts of \`relay <command> --help\`. Generated from the catalogue of commands by \`npm run generate\`.

Every command takes \`--json\` (one JSON value, or one per line for commands that keep running) and \`--help\`. Results go to standard output, everything else to standard error.

| Exit code | Meaning                                                      |
| --------- | ------------------------------------------------------------ |
| 0         | Success                                                      |
| 1         | An error without its own code, or a check found a problem    |
| 2         | Invalid input; nothing was changed                           |
| 3         | The daemon is not running, or not ready                      |
| 4         | Not found                                                    |
| 5         | Not possible in the current state                            |
| 6         | Not allowed                                                  |
| 7         | Too many requests                                            |
| 8         | The daemon or its database failed; \`relay doctor\` shows why |

\`relay create --wait\` has [further codes](../conversations.md#for-programs), and so has [the start of the daemon](../operations.md#as-a-service).
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
        `- \`${flags}\`: ${escaped(says)}${fallback === undefined ? '' : ` (default: \`${fallback}\`)`}`,
    ),
  ];
  const explained = helpFooter === undefined ? '' : `\n\`\`\`text\n${helpFooter.trim()}\n\`\`\`\n`;
  const list = lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
  const own = `### \`${usage}\`\n\n${sentence(summary)}\n${list}${explained}`;
  return [own, ...subcommands.map((one) => entry(one, called))].join('\n');
}
