// `relay transcript <id>`: what was said, by whom and when, and how far each message has come. With -f it
// goes on until the conversation ends.
import { clientOf } from '../api.ts';
import { findId } from '../conversations/find.ts';
import { transcriptLines } from '../conversations/lines.ts';
import { followConversation } from '../conversations/live.ts';
import { outcome } from '../conversations/outcome.ts';
import { withReminder } from '../conversations/reminder.ts';
import { ConversationView } from '../conversations/view.ts';
import type { Terminal } from '../terminal.ts';

export const run = withReminder(async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const id = await findId(client, args[0]);
  if (options.follow === true) {
    await follow(config.home, terminal, id);
    return 0;
  }
  const lines = await client.get('/api/instances/{id}/transcript', { path: { id } });
  if (terminal.json) terminal.give(lines);
  else if (lines.length === 0) terminal.progress('Nothing was said yet.');
  else {
    const columns = terminal.size?.columns ?? null;
    const look = { colours: terminal.colours, columns, now: Date.now() };
    for (const line of lines.flatMap((one) => transcriptLines(one, look))) terminal.say(line);
  }
  return 0;
});

async function follow(home: string, terminal: Terminal, id: string): Promise<void> {
  const view = new ConversationView(terminal);
  let last: string | null = null;
  for await (const update of followConversation(home, id)) {
    if (terminal.json) for (const line of update.lines) terminal.give(line);
    else view.show(update);
    last = outcome(update.instance, terminal.colours);
  }
  view.end();
  if (last !== null) terminal.note(last);
}
