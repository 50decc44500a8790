// `relay retention`: how old what was read in observed groups is, against its limits.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { retentionLines } from '../../retention/words.ts';

export const run: Run = async ({ config, terminal }) => {
  const status = await clientOf(config.home).get('/api/retention');
  if (terminal.json) terminal.give(status);
  else for (const line of retentionLines(status)) terminal.say(line);
  return 0;
};
