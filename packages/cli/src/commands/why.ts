// `relay why <message-id>`: one true sentence about what became of a message, or who caused it.
import { clientOf } from '../api.ts';
import type { Run } from '../command.ts';
import { printable } from '../format.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const [id = ''] = args;
  const { chat } = options;
  const answer = await clientOf(config.home).get('/api/messages/{id}/why', {
    path: { id },
    query: typeof chat === 'string' ? { chat } : {},
  });
  if (terminal.json) terminal.give(answer);
  else terminal.say(printable(answer.sentence));
  return 0;
};
