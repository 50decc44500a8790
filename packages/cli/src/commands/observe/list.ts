// `relay observe list`: each group that is read, since when, and what that costs and spares.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { listedLines } from '../../observing/words.ts';

export const run: Run = async ({ config, terminal }) => {
  const groups = await clientOf(config.home).get('/api/observed-groups');
  if (terminal.json) terminal.give(groups);
  else if (groups.length === 0) {
    terminal.progress('No group is observed. `relay observe add <group>` begins it.');
  } else {
    for (const line of listedLines(groups, new Date(), terminal.colours)) terminal.say(line);
  }
  return 0;
};
