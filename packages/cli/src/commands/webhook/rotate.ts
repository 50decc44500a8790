// `relay webhook rotate <name>`: a new secret, shown this once.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const webhook = await clientOf(config.home).post('/api/webhooks/{webhook}/rotate', {
    path: { webhook: args[0] ?? '' },
  });
  if (terminal.json) {
    terminal.give(webhook);
    return 0;
  }
  terminal.say(`Secret: ${webhook.secret}`);
  terminal.note('It is shown this once. For a day the one before signs too: change the receiver.');
  return 0;
};
