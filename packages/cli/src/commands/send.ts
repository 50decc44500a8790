// `relay send <id> <message>`: the owner's own words in a conversation. Stored when it returns; it leaves
// in its turn.
import { LIMITS } from '@relay/core/conversation/limits';
import { STATES } from '@relay/core/conversation/states';
import { clientOf } from '../api.ts';
import { legally } from '../conversations/change.ts';
import { findId, shortId } from '../conversations/find.ts';
import { textOf } from '../conversations/given.ts';
import { withReminder } from '../conversations/reminder.ts';
import { contactOf } from '../conversations/words.ts';

export const run = withReminder(async ({ config, terminal, args }) => {
  const [given, ...words] = args;
  const message = textOf({ text: words.join(' '), where: 'The message' }, LIMITS.message);
  const client = clientOf(config.home);
  const id = await findId(client, given);
  const path = { id };
  const line = await legally(client, id, () =>
    client.post('/api/instances/{id}/send', { path, body: { message } }),
  );
  if (terminal.json) terminal.give(line);
  else {
    const instance = await client.get('/api/instances/{id}', { path });
    terminal.say(
      `Your message to ${contactOf(instance)} is stored and leaves in its turn (${instance.state}). ${STATES[instance.state]} \`relay transcript ${shortId(id)} -f\` follows it.`,
    );
  }
  return 0;
});
