// `relay token`: the owner's own token, which may do everything.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { readToken } from '../../http.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const token = options.rotate
    ? (await clientOf(config.home).post('/api/token/rotate')).token
    : readToken(config.home);
  if (terminal.json) terminal.give({ token });
  else terminal.say(token);
  return 0;
};
