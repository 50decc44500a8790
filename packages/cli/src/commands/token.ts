// `relay token`: the owner's token, for programs that speak to the daemon.
import { clientOf } from '../api.ts';
import type { Run } from '../command.ts';
import { readToken } from '../http.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const token = options.rotate
    ? (await clientOf(config.home).post('/api/token/rotate')).token
    : readToken(config.home);
  if (terminal.json) terminal.give({ token });
  else terminal.say(token);
  return 0;
};
