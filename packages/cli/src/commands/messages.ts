// `relay messages [contact]`: lists the last messages, oldest first, one line each.
import type { BufferedMessage } from '@relay/contract/api/whatsapp';
import type { Client } from '@relay/contract/client/client';
import { RelayError } from '@relay/contract/errors';
import type { OutboxState } from '@relay/contract/outbox/states';
import { clientOf, longTimeoutClientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatClock, formatPhone, toPrintable } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { resolveAddress } from './contacts.ts';
import { shortScheduleId } from './schedules.ts';
import type { readScheduledContent } from './send-content.ts';

export const listMessagesCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RelayError('usage', { what: 'Give --limit a whole number, such as `-n 20`.' });
  }
  const [who] = args;
  const client = clientOf(config.home);
  const contact =
    who === undefined
      ? undefined
      : await resolveAddress(client, who, 'person', { byProfile: true });
  const query = contact === undefined ? { limit } : { limit, contact };
  const answer = await client.get('/api/whatsapp/messages', { query });
  if (terminal.json) terminal.writeJson(answer);
  else if (answer.messages.length === 0) terminal.notice('No messages yet.');
  else {
    const look = { colours: terminal.colours, names: await readNames(client), now: new Date() };
    for (const line of formatMessages(answer.messages, look)) terminal.writeLine(line);
  }
  return 0;
};

type Names = ReadonlyMap<string, string>;

/** The names of the contacts who wrote last, as `relay contacts` shows them, by each address of a message. */
async function readNames(client: Client): Promise<Names> {
  const { contacts } = await client.get('/api/contacts', { query: { limit: 500 } });
  const names = new Map<string, string>();
  for (const { name, jid, lid } of contacts) {
    if (name === null) continue;
    if (jid !== null) names.set(jid, name);
    if (lid !== null) names.set(`${lid}@lid`, name);
  }
  return names;
}

/** How many characters of an id are shown: enough for `relay why` to find it. */
const ID = 12;

interface MessagesLook {
  readonly colours: Pick<Terminal['colours'], 'dim' | 'bold'>;
  readonly names: Names;
  readonly now: Date;
}

export function formatMessages(
  messages: readonly BufferedMessage[],
  { colours, names, now }: MessagesLook,
): string[] {
  const rows = messages.map((message) => ({
    message,
    way: formatSenderAndRecipient(message, names),
  }));
  const ids = Math.min(ID, Math.max(0, ...messages.map(({ id }) => id.length)));
  const width = Math.min(44, Math.max(0, ...rows.map(({ way }) => way.length)));
  return rows.map(({ message, way }) => {
    const time = colours.dim(formatClock(new Date(message.timestamp), now).padStart(11));
    const id = colours.dim(toPrintable(message.id).slice(0, ID).padEnd(ids));
    // Indents the further lines of a body, so that it reads as one message.
    const indent = `\n${' '.repeat(11 + 2 + ids + 2 + width + 2)}`;
    const body = toPrintable(message.body).trimEnd().replaceAll('\n', indent);
    return `${time}  ${id}  ${colours.bold(way.padEnd(width))}  ${body}`;
  });
}

/** Sender → recipient; the account itself is `you`. */
function formatSenderAndRecipient(message: BufferedMessage, names: Names): string {
  const named = (jid: string, own: string | null = null) =>
    toPrintable(names.get(jid) ?? own ?? formatJid(jid));
  const from = message.fromMe ? 'you' : named(message.from, message.fromName);
  const isToYou = message.fromMe ? message.to === message.from : !message.isGroup;
  const to = isToYou ? 'you' : named(message.to);
  return `${from} → ${to}`.replace(/\s+/g, ' ');
}

function formatJid(jid: string): string {
  const [user = '', server = ''] = jid.split('@');
  if (server === 's.whatsapp.net') return formatPhone(user.replace(/:.*/, ''));
  return server === 'g.us' ? `group ${user}` : jid;
}

// `relay messages send <who> <text>`: sends a message as the owner. It is queued when the command returns.

const SENTENCES: Readonly<Record<OutboxState, string>> = {
  pending: 'Queued. `relay messages` shows it when it is sent.',
  sent: 'Sent.',
  delivered: 'Delivered.',
  read: 'Delivered and read.',
  failed: 'Failed: the message was not sent. See why with `relay logs`.',
  unknown: 'Unknown: the message may not have been sent. Relay does not send it again.',
};

export const sendMessageCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const [who = '', given] = args;
  const to = await resolveAddress(clientOf(config.home), who, 'all');
  const { at, replyTo } = options;
  if (typeof at === 'string') {
    if (typeof replyTo === 'string' || typeof options.key === 'string') {
      throw new RelayError('usage', { what: 'Give --at without --reply-to and --key.' });
    }
    const { readScheduledContent } = await import('./send-content.ts');
    const content = await readScheduledContent(config.home, given, options);
    await sendLater(clientOf(config.home), terminal, { to, ...content, when: at });
    return 0;
  }
  const key = typeof options.key === 'string' ? { 'idempotency-key': options.key } : {};
  const quote = typeof replyTo === 'string' ? { replyTo } : {};
  const sent = await clientOf(config.home).post('/api/whatsapp/messages', {
    body: {
      to,
      ...(await (await import('./send-content.ts')).readSendContent(config.home, given, options)),
      ...quote,
    },
    header: key,
  });
  if (terminal.json) terminal.writeJson(sent);
  else terminal.writeLine(`${SENTENCES[sent.state]} (${toPrintable(sent.messageId)})`);
  return sent.success ? 0 : 1;
};

type ScheduledContent = Awaited<ReturnType<typeof readScheduledContent>>;

/** A schedule with one run: `relay schedule cancel` ends it. */
export async function sendLater(
  client: Client,
  terminal: Terminal,
  { when, ...message }: ScheduledContent & { readonly to: string; readonly when: string },
): Promise<void> {
  const preview = await client.post('/api/schedules/preview', { body: { ...message, when } });
  if (preview.rule.kind !== 'once') {
    throw new RelayError('usage', {
      what: `"${when}" is not a single time. It means ${preview.words}.`,
    });
  }
  const { rule, zone } = preview;
  const made = await client.post('/api/schedules', { body: { ...message, rule, zone } });
  if (terminal.json) terminal.writeJson(made);
  else {
    terminal.writeLine(
      `Scheduled: ${toPrintable(made.words)}. Cancel it with \`relay schedule cancel ${shortScheduleId(made.id)}\`.`,
    );
  }
}

// `relay suggest <contact> [hint…]`: prints the reply that the model drafts for this chat.

export const suggestReplyCommand: RunCommand = async ({ config, terminal, args }) => {
  const [who = '', ...words] = args;
  const client = longTimeoutClientOf(config.home);
  const { chats } = await client.get('/api/chats', { query: { q: who, limit: 10 } });
  const people = chats.filter(({ kind }) => kind === 'direct');
  const [chat, other] = people;
  if (chat === undefined) throw new RelayError('contact_unknown', { who });
  if (other !== undefined) {
    const candidates = people.map(({ name }) => name).join(', ');
    throw new RelayError('contact_ambiguous', { who, candidates });
  }
  const hint = words.join(' ').trim();
  const draft = await client.post('/api/chats/{id}/draft', {
    path: { id: chat.id },
    body: hint === '' ? {} : { hint },
  });
  if (terminal.json) terminal.writeJson({ chat_id: chat.id, ...draft });
  else {
    terminal.writeLine(toPrintable(draft.text));
    terminal.note('Nothing was sent.');
  }
  return 0;
};

// `relay why <message-id>`: explains in one sentence what happened to a message, or who caused it.

export const explainMessageCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const [id = ''] = args;
  const { chat } = options;
  const answer = await clientOf(config.home).get('/api/messages/{id}/why', {
    path: { id },
    query: typeof chat === 'string' ? { chat } : {},
  });
  if (terminal.json) terminal.writeJson(answer);
  else terminal.writeLine(toPrintable(answer.sentence));
  return 0;
};
