// `relay token revoke <name>`: the program is nobody from now on.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { oneLine } from '../../format.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const path = { token: args[0] ?? '' };
  const revoked = await clientOf(config.home).delete('/api/tokens/{token}', { path });
  if (terminal.json) terminal.give(revoked);
  else
    terminal.say(
      `${oneLine(revoked.name)} opens nothing any more, and what it has waiting is not sent.`,
    );
  return 0;
};
