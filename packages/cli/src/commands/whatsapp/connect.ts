// `relay whatsapp connect`: connects and shows how it goes; an account that is not linked yet is linked.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { connectedAs, untilLinked } from '../../link/link.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const body = typeof options.phone === 'string' ? { phone: options.phone } : {};
  await clientOf(config.home).post('/api/whatsapp/connect', { body });
  const link = await untilLinked(config.home, terminal);
  if (terminal.json) terminal.give({ connected: true, phone: link.phone, name: link.name });
  else terminal.say(connectedAs(link));
  return 0;
};
