// `relay token create`: a token for a program. Its secret is the whole of standard output, so that a script
// can keep it, and it is never shown again.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { oneLine } from '../../format.ts';
import { requestOf } from '../../tokens/request.ts';
import { withWhom } from '../../tokens/words.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const body = requestOf(options, new Date());
  const made = await clientOf(config.home).post('/api/tokens', { body });
  if (terminal.json) {
    terminal.give(made);
    return 0;
  }
  terminal.say(made.secret);
  terminal.note(`It is shown this once: give it to ${oneLine(made.name)} as RELAY_TOKEN.`);
  terminal.note(`It opens ${made.scopes.join(', ')}, ${withWhom(made)}.`);
  return 0;
};
