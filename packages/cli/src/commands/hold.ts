// `relay hold [reason]`: stops all sending at once. It lasts until `relay release`, also over a restart.
import { clientOf } from '../api.ts';
import type { Run } from '../command.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const reason = args[0] === undefined ? {} : { reason: args[0] };
  const held = await clientOf(config.home).post('/api/hold', { body: reason });
  if (terminal.json) terminal.give(held);
  else terminal.say('On hold: nothing is sent. `relay release` ends it.');
  return 0;
};
