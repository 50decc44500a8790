// `relay release`: ends the hold. What waited leaves, and agents go on.
import { clientOf } from '../api.ts';
import type { Run } from '../command.ts';

export const run: Run = async ({ config, terminal }) => {
  const held = await clientOf(config.home).post('/api/release');
  if (terminal.json) terminal.give(held);
  else terminal.say('Released: messages leave again.');
  return 0;
};
