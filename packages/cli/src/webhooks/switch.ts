// `relay webhook on|off <name>`.
import { clientOf } from '../api.ts';
import type { Run } from '../command.ts';
import { oneLine } from '../format.ts';

export const switching =
  (enabled: boolean): Run =>
  async ({ config, terminal, args }) => {
    const webhook = await clientOf(config.home).patch('/api/webhooks/{webhook}', {
      path: { webhook: args[0] ?? '' },
      body: { enabled },
    });
    const name = oneLine(webhook.name);
    if (terminal.json) terminal.give(webhook);
    else if (enabled) terminal.say(`${name} is told what happens from now on.`);
    else terminal.say(`${name} is told nothing until it is on again.`);
    return 0;
  };
