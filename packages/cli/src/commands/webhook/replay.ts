// `relay webhook replay <name> <id>`: tells it once more, under the same id; with `--dead` all that was given up
// on.
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { count } from '../../format.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const [webhook = '', delivery] = args;
  const client = clientOf(config.home);
  if ((delivery === undefined) === (options.dead !== true)) {
    throw new RelayError('usage', {
      what: 'Name one delivery, or say --dead for all given up on.',
    });
  }
  if (delivery === undefined) {
    const { replayed } = await client.post('/api/webhooks/{webhook}/replay', { path: { webhook } });
    if (terminal.json) terminal.give({ replayed });
    else terminal.say(`${count(replayed, 'delivery', 'deliveries')} on the way again.`);
    return 0;
  }
  const again = await client.post('/api/webhooks/{webhook}/deliveries/{delivery}/replay', {
    path: { webhook, delivery },
  });
  if (terminal.json) terminal.give(again);
  else terminal.say(`${again.type} ${again.id.slice(0, 8)} is on the way again.`);
  return 0;
};
