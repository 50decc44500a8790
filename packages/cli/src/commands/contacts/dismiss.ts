// `relay contacts dismiss <who>`: a knock that was seen and needs nothing.
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { nameAndAddress, somebodyKnown } from '../../people/find.ts';

export const run: Run = async ({ config, terminal, args }) => {
  const client = clientOf(config.home);
  const contact = await somebodyKnown(client, args[0], 'person');
  const dismissed = await client.post('/api/knocks/{contact}/dismiss', {
    path: { contact: contact.id },
  });
  if (terminal.json) terminal.give(dismissed);
  else terminal.say(`Dismissed: ${nameAndAddress(contact)}. Who writes again knocks again.`);
  return 0;
};
