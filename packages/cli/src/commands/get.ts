// `relay get <id>`: everything about one conversation, and what can be done with it now.
import { clientOf } from '../api.ts';
import { card } from '../conversations/card.ts';
import { findId } from '../conversations/find.ts';
import { withReminder } from '../conversations/reminder.ts';

export const run = withReminder(async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const path = { id: await findId(client, args[0]) };
  const [instance, transitions] = await Promise.all([
    client.get('/api/instances/{id}', { path }),
    client.get('/api/instances/{id}/transitions', { path }),
  ]);
  if (terminal.json) {
    terminal.give({ ...instance, transitions });
    return 0;
  }
  const look = {
    colours: terminal.colours,
    columns: terminal.size?.columns ?? null,
    now: Date.now(),
    all: options.all === true,
  };
  for (const line of card(instance, transitions, look)) terminal.say(line);
  return 0;
});
