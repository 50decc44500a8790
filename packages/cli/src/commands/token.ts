// `relay token`: the owner's token, for programs that speak to the daemon.
import { rotateToken } from '../api.ts';
import type { Run } from '../catalogue.ts';
import { readToken } from '../http.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const token = options.rotate ? (await rotateToken(config.home)).token : readToken(config.home);
  if (terminal.json) terminal.give({ token });
  else terminal.say(token);
  return 0;
};
