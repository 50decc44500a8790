// `relay whatsapp disconnect`: ends the connection; the link itself only when asked to.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const clearSession = options.clearSession === true;
  const body = { clearSession };
  const answer = await clientOf(config.home).post('/api/whatsapp/disconnect', { body });
  if (terminal.json) terminal.give(answer);
  else if (clearSession) terminal.say('Disconnected and unlinked. `relay init` links again.');
  else {
    terminal.say('Disconnected. `relay whatsapp connect` comes back without a new scan.');
  }
  return 0;
};
