// `relay observe token`, as the table of all commands has it.
import type { CommandSpec } from '../command.ts';

export const OBSERVE_TOKEN: CommandSpec = {
  name: 'token',
  group: 'People',
  summary: 'make the token with which a phone forwards notifications of observed groups',
  options: [
    ['--rotate', 'make a new one; the one before stops working at once'],
    ['--revoke', 'end it: notifications are no longer taken'],
  ],
  load: () => import('../commands/observe/token.ts'),
};
