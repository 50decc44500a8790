// `relay memory`: which model finds things by their meaning, and how far it has come.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { printable } from '../../format.ts';
import { described } from '../../memory/words.ts';

export const run: Run = async ({ config, terminal }) => {
  const status = await clientOf(config.home).get('/api/memory');
  if (terminal.json) terminal.give(status);
  else for (const line of described(status)) terminal.say(printable(line));
  return 0;
};
