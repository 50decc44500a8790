// `relay messages [contact]`: the last messages, the oldest first, one calm line each.
import type { BufferedMessage } from '@relay/core/api/whatsapp';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { clock, phone, printable } from '../../format.ts';
import type { Terminal } from '../../terminal.ts';

export const run: Run = async ({ config, terminal, args, options }) => {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RelayError('usage', { what: 'Give --limit a whole number, as in `-n 20`.' });
  }
  const [contact] = args;
  if (contact !== undefined && !/\d/.test(contact)) {
    throw new RelayError('usage', { what: 'Name the contact by digits of the phone number.' });
  }
  const query = contact === undefined ? { limit } : { limit, contact };
  const answer = await clientOf(config.home).get('/api/whatsapp/messages', { query });
  if (terminal.json) terminal.give(answer);
  else if (answer.messages.length === 0) terminal.progress('No messages yet.');
  else
    for (const line of describe(answer.messages, terminal.colours, new Date())) terminal.say(line);
  return 0;
};

/** As much of an id as `relay why` needs to know it by. */
const ID = 12;

export function describe(
  messages: readonly BufferedMessage[],
  colours: Pick<Terminal['colours'], 'dim' | 'bold'>,
  now: Date,
): string[] {
  const rows = messages.map((message) => ({ message, way: wayOf(message) }));
  const ids = Math.min(ID, Math.max(0, ...messages.map(({ id }) => id.length)));
  const width = Math.min(44, Math.max(0, ...rows.map(({ way }) => way.length)));
  return rows.map(({ message, way }) => {
    const time = colours.dim(clock(new Date(message.timestamp), now).padStart(11));
    const id = colours.dim(printable(message.id).slice(0, ID).padEnd(ids));
    // A body of several lines stays one message to the eye.
    const indent = `\n${' '.repeat(11 + 2 + ids + 2 + width + 2)}`;
    const body = printable(message.body).trimEnd().replaceAll('\n', indent);
    return `${time}  ${id}  ${colours.bold(way.padEnd(width))}  ${body}`;
  });
}

/** Who → whom; the account itself is `you`. */
function wayOf(message: BufferedMessage): string {
  const sender = printable(message.fromName ?? address(message.from));
  const from = message.fromMe ? 'you' : sender;
  const to = message.fromMe || message.isGroup ? address(message.to) : 'you';
  return `${from} → ${to}`.replace(/\s+/g, ' ');
}

function address(jid: string): string {
  const [user = '', server = ''] = jid.split('@');
  if (server === 's.whatsapp.net') return phone(user.replace(/:.*/, ''));
  return server === 'g.us' ? `group ${user}` : printable(jid);
}
