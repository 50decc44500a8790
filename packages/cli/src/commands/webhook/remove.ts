// `relay webhook remove <name>`: nothing more is told there.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { oneLine } from '../../format.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const removed = await clientOf(config.home).delete('/api/webhooks/{webhook}', {
    path: { webhook: args[0] ?? '' },
  });
  if (terminal.json) terminal.give(removed);
  else terminal.say(`${oneLine(removed.name)} is told nothing any more.`);
  return 0;
};
