// `relay webhook test <name>`: a ping, now, and how that went.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const ping = await clientOf(config.home).post('/api/webhooks/{webhook}/test', {
    path: { webhook: args[0] ?? '' },
  });
  const arrived = ping.state === 'delivered';
  if (terminal.json) terminal.give(ping);
  else if (arrived) terminal.say(`The ping arrived: it was answered with ${ping.last_status}.`);
  else terminal.say(`The ping did not arrive. ${ping.last_error ?? ''}`.trim());
  return arrived ? 0 : 1;
};
