// `relay create`: delegates a conversation. Its id is all that stands on standard output, unless --wait
// follows it live to its end.
import { randomUUID } from 'node:crypto';
import type { ConversationInstance } from '@relay/core/api/instances';
import { RelayApiError } from '@relay/core/client/api-error';
import { clientOf } from '../api.ts';
import { shortId } from '../conversations/find.ts';
import { followConversation } from '../conversations/live.ts';
import { exitOf, outcome } from '../conversations/outcome.ts';
import { withReminder } from '../conversations/reminder.ts';
import { type NewConversation, requestOf } from '../conversations/request.ts';
import { ConversationView } from '../conversations/view.ts';
import { needsOwner } from '../conversations/words.ts';
import { phone } from '../format.ts';
import type { Terminal } from '../terminal.ts';

const INTERRUPTED = 130;

export const run = withReminder(async ({ config, terminal, options }) => {
  const body = await requestOf(options);
  const created = await createOnce(config.home, body, options.key);
  const { id, state } = created;
  if (terminal.json) terminal.give(created);
  else terminal.say(id);
  if (options.wait === true) return wait(config.home, terminal, id);
  const contact = phone(body.target_contact);
  terminal.note(
    state === 'QUEUED'
      ? `Another conversation with ${contact} comes first; this one follows by itself. \`relay get ${shortId(id)}\` shows it.`
      : `The agent writes to ${contact} next. \`relay transcript ${shortId(id)} -f\` follows it.`,
  );
  return 0;
});

/** Under a key: an answer that was lost on its way is asked for again, and makes no second conversation. */
async function createOnce(home: string, body: NewConversation, given: unknown) {
  const key = typeof given === 'string' ? given : randomUUID();
  const ask = () =>
    clientOf(home).post('/api/instances', { body, header: { 'idempotency-key': key } });
  return ask().catch((error: unknown) => {
    if (error instanceof RelayApiError) throw error;
    return ask();
  });
}

async function wait(home: string, terminal: Terminal, id: string): Promise<number> {
  const view = new ConversationView(terminal);
  // Leaving ends the watching, not the conversation.
  const leave = () => {
    view.end();
    terminal.note(
      `It goes on without you. \`relay transcript ${shortId(id)} -f\` follows it again.`,
    );
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', leave);
  try {
    let last: ConversationInstance | null = null;
    let shown = '';
    for await (const { instance, lines } of followConversation(home, id)) {
      if (!terminal.json) view.show({ instance, lines });
      else {
        for (const message of lines) terminal.give({ message });
        if (shown !== JSON.stringify(instance)) terminal.give({ instance });
        shown = JSON.stringify(instance);
      }
      last = instance;
      if (needsOwner(instance)) break;
    }
    view.end();
    if (last === null) return 0;
    if (!terminal.json) terminal.say(outcome(last, terminal.colours));
    return exitOf(last);
  } finally {
    process.off('SIGINT', leave);
  }
}
