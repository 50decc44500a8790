// `relay token rotate <name>`: a new secret; what the token may do, and what it has read, stays.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const path = { token: args[0] ?? '' };
  const rotated = await clientOf(config.home).post('/api/tokens/{token}/rotate', { path });
  if (terminal.json) {
    terminal.give(rotated);
    return 0;
  }
  terminal.say(rotated.secret);
  terminal.note('It is shown this once. The one before it is refused from now on.');
  return 0;
};
