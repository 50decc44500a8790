// `relay memory import`, as the table of all commands has it.
import type { CommandSpec } from '../command.ts';

export const MEMORY_IMPORT: CommandSpec = {
  name: 'import',
  group: 'Your data',
  summary: 'make an old chat findable that you exported from WhatsApp',
  arguments: [{ syntax: '<file>', summary: 'the .txt or .zip that WhatsApp exported', file: true }],
  options: [
    ['--chat <who>', 'which chat it is: a name or a number (default: by the name of the file)'],
    ['--me <name>', 'what you are called in it'],
    ['--date-order <order>', 'how its dates are written: dmy, mdy or ymd'],
    ['--zone <name>', 'whose clocks its times are of, as in Europe/Berlin (default: yours)'],
  ],
  values: { '--date-order': ['dmy', 'mdy', 'ymd'] },
  load: () => import('../commands/memory/import.ts'),
};
