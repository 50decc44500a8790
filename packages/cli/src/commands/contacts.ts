// `relay contacts [query]`: lists contacts with their grants; with --requests, the message requests.

import type { FoundContacts, ListedContact } from '@relay/contract/api/contacts';
import type { Client } from '@relay/contract/client/client';
import { RelayError } from '@relay/contract/errors';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import {
  formatClock,
  formatCount,
  formatPhone,
  padText,
  textWidth,
  toOneLine,
  truncateText,
} from '../format.ts';
import { askUser, canAsk } from '../prompt.ts';
import type { Terminal } from '../terminal.ts';

export const listContactsCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw new RelayError('usage', { what: 'Give --limit a whole number from 1 to 500.' });
  }
  const query = args[0]?.trim() ?? '';
  const { contacts } = await clientOf(config.home).get('/api/contacts', {
    query: {
      limit,
      ...(query === '' ? {} : { query }),
      ...(options.requests === true ? { knocks: 'only' as const } : {}),
    },
  });
  if (terminal.json) {
    terminal.writeJson(contacts);
    return 0;
  }
  if (contacts.length === 0) {
    terminal.notice(describeNoContacts(query, options.requests === true));
    return 0;
  }
  const look = {
    columns: terminal.size?.columns ?? null,
    colours: terminal.colours,
    now: new Date(),
  };
  for (const line of formatContactTable(contacts, look)) terminal.writeLine(line);
  const requests = contacts.filter(({ knocks }) => knocks !== null).length;
  if (requests > 0) {
    terminal.note(
      `${formatCount(requests, 'message request')}. Not shown to any agent. Let agents answer with \`relay grant <who> --read --reply\`, or dismiss a request with \`relay contacts dismiss <who>\`.`,
    );
  }
  return 0;
};

function describeNoContacts(query: string, onlyRequests: boolean): string {
  if (query !== '') return `No contact matches ${toOneLine(query)}.`;
  return onlyRequests
    ? 'No message requests.'
    : 'No contacts yet. Add the first one with `relay grant <number> --read`.';
}

// `relay contacts dismiss <who>`: dismisses a message request.

export const dismissMessageRequestCommand: RunCommand = async ({ config, terminal, args }) => {
  const client = clientOf(config.home);
  const contact = await findKnownContact(client, args[0], 'person', { byProfile: true });
  const dismissed = await client.post('/api/knocks/{contact}/dismiss', {
    path: { contact: contact.id },
  });
  if (terminal.json) terminal.writeJson(dismissed);
  else
    terminal.writeLine(
      `Dismissed: ${formatContactLabel(contact)}. The next message creates a new request.`,
    );
  return 0;
};

// Finds the contact for what was typed. If two match, or one whose profile name is all that matches, none is chosen and
// the candidates are shown.

const SHOWN = 5;
const GROUP_JID = /^\d+(-\d+)?@g\.us$/;

/** A known contact, or a new one by number or address. */
export type ContactTarget =
  | { readonly known: ListedContact }
  | { readonly phoneNumber: string }
  | { readonly group: string };

interface ResolveOptions {
  readonly mayAsk?: boolean;
  /** A profile name is enough: nothing is granted or sent. */
  readonly byProfile?: boolean;
}

export async function resolveContact(
  client: Client,
  given: string | undefined,
  kind: 'person' | 'group' | 'all',
  { mayAsk = false, byProfile = false }: ResolveOptions = {},
): Promise<ContactTarget> {
  const query = given?.trim() ?? '';
  if (query === '') throw new RelayError('usage', { what: 'Give a name or a phone number.' });
  const found = await client.get('/api/contacts', { query: { query, kind, limit: SHOWN + 1 } });
  const [first, other] = found.contacts;
  const only = byProfile && other === undefined ? first : undefined;
  const known = found.contacts.find(({ id }) => id === found.meant) ?? only;
  if (known !== undefined) return { known };
  if (found.number !== null && kind !== 'group') return { phoneNumber: found.number };
  if (GROUP_JID.test(query)) return { group: query };
  const picked = mayAsk ? await pickContact(toOneLine(query), found) : null;
  if (picked !== null) return { known: picked };
  throw unresolvedContactError(toOneLine(query), found);
}

/** Null without a terminal, without candidates, or without an answer. */
async function pickContact(
  who: string,
  { contacts }: FoundContacts,
): Promise<ListedContact | null> {
  const shown = contacts.slice(0, SHOWN);
  if (shown.length === 0 || !canAsk()) return null;
  const lines = shown.map((one, index) => `  ${index + 1}  ${formatContactLabel(one)}`).join('\n');
  const answer = await askUser(`${who} could mean:\n${lines}\nWhich number? `);
  return shown[Number(answer) - 1] ?? null;
}

export async function findKnownContact(
  client: Client,
  given: string | undefined,
  kind: 'person' | 'group' | 'all',
  options?: ResolveOptions,
): Promise<ListedContact> {
  const meant = await resolveContact(client, given, kind, options);
  if ('known' in meant) return meant.known;
  throw new RelayError('contact_unknown', { who: toOneLine(given ?? '') });
}

/** A number or an address as it was typed; for a name the address of the only contact that it can mean. */
export async function resolveAddress(
  client: Client,
  given: string,
  kind: 'person' | 'all',
  options?: ResolveOptions,
): Promise<string> {
  if (given.includes('@') || !/\p{L}/u.test(given)) return given;
  const { phone_number: digits, jid } = await findKnownContact(client, given, kind, options);
  const address = digits === null ? jid : `+${digits}`;
  if (address === null) throw new RelayError('contact_unknown', { who: toOneLine(given) });
  return address;
}

function unresolvedContactError(who: string, { contacts }: FoundContacts): RelayError {
  if (contacts.length === 0) return new RelayError('contact_unknown', { who });
  const candidates = [
    ...contacts.slice(0, SHOWN).map(formatContactLabel),
    ...(contacts.length > SHOWN ? ['…'] : []),
  ].join(', ');
  return new RelayError('contact_ambiguous', { who, candidates });
}

export const formatContactAddress = ({ phone_number: digits, jid }: ListedContact): string =>
  digits === null ? toOneLine(jid ?? 'no address') : formatPhone(digits);

export function formatContactLabel(contact: ListedContact): string {
  const address = formatContactAddress(contact);
  return contact.name === null ? address : `${toOneLine(contact.name)} (${address})`;
}

// Formats one line for each contact: grants, last message, message requests. Pure.

interface ContactLayout {
  /** Null when the output is not a terminal: nothing is truncated. */
  readonly columns: number | null;
  readonly colours: Pick<Terminal['colours'], 'bold' | 'dim'>;
  readonly now: Date;
}

const HEAD = ['NAME', 'NUMBER', 'READ', 'REPLY', 'START', 'LAST MESSAGE', 'REQUESTS'] as const;
const GAP = '  ';
const LONGEST_NAME = 28;

export function formatContactTable(
  contacts: readonly ListedContact[],
  look: ContactLayout,
): string[] {
  const rows = contacts.map((contact) => cellsOf(contact, look.now));
  const widths = HEAD.map((name, column) =>
    Math.max(textWidth(name), ...rows.map((cells) => textWidth(cells[column] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => padText(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
  const fitted = (text: string) =>
    look.columns === null ? text : truncateText(text, look.columns);
  return [look.colours.dim(fitted(line(HEAD))), ...rows.map((cells) => fitted(line(cells)))];
}

function cellsOf(contact: ListedContact, now: Date): string[] {
  const { name, grant, last_message_at: last, knocks } = contact;
  return [
    truncateText(name === null ? '–' : toOneLine(name), LONGEST_NAME),
    formatContactAddress(contact),
    ...(grant === null
      ? ['–', '–', '–']
      : [yes(grant.can_read), replies(contact, grant, now), yes(grant.can_initiate)]),
    last === null ? '' : formatClock(new Date(last), now),
    knocks === null ? '' : String(knocks.count),
  ];
}

function replies(
  { resting_until: until }: ListedContact,
  { can_reply, reply_mode }: NonNullable<ListedContact['grant']>,
  now: Date,
): string {
  if (until !== null && can_reply) return `cooldown to ${formatClock(new Date(until), now)}`;
  return can_reply && reply_mode === 'draft' ? 'draft' : yes(can_reply);
}

const yes = (allowed: boolean): string => (allowed ? 'yes' : 'no');
