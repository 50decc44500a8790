// `relay hold [reason]`: stops all sending at once. It lasts until `relay release`, also over a restart.
import { clientOf } from '../api.ts';
import type { Run } from '../command.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const body = args.length === 0 ? {} : { reason: args.join(' ') };
  const held = await clientOf(config.home).post('/api/hold', { body });
  if (terminal.json) terminal.give(held);
  else terminal.say('On hold: nothing is sent. `relay release` ends it.');
  return 0;
};
