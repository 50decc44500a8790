// Parses the aliases by which WhatsApp identifies a person. Text and JIDs from outside become an Alias only here.
// Anything uncertain is null, because a wrong guess would be another person.

declare const canonical: unique symbol;

/** A phone number in digits, or a LID (WhatsApp's hidden id of a person). */
export interface Alias {
  readonly kind: 'phone' | 'lid';
  readonly value: string;
  readonly [canonical]: true;
}

/** An international number never begins with 0; a national one would be another person's. */
const PHONE = /^[1-9]\d{6,14}$/;
const LID = /^\d{1,20}$/;

const make = (kind: Alias['kind'], value: string): Alias | null =>
  (kind === 'phone' ? PHONE : LID).test(value) ? ({ kind, value } as Alias) : null;

/**
 * A phone number as people write it. Signs between the digits are dropped, but an address (`@`) or a digit of another
 * script is refused: dropping part of it would leave another number.
 */
export function phoneAlias(text: string): Alias | null {
  if (/@|(?![0-9])\p{Nd}/u.test(text)) return null;
  return make('phone', text.replace(/\D/g, ''));
}

export const lidAlias = (digits: string): Alias | null => make('lid', digits);

/** `user[_agent][:device]@server`: agent and device identify a phone or a browser, not a person. */
const JID = /^(\d+)(?:_\d+)?(?::\d+)?@([a-z.]+)$/;

const KIND_OF_SERVER: Readonly<Partial<Record<string, Alias['kind']>>> = {
  's.whatsapp.net': 'phone',
  'c.us': 'phone',
  hosted: 'phone',
  lid: 'lid',
  'hosted.lid': 'lid',
};

/** Null for anything that is not a person: groups, broadcasts, channels, the server itself. */
export function aliasOfJid(jid: string): Alias | null {
  const [, user = '', server = ''] = JID.exec(jid) ?? [];
  const kind = Object.hasOwn(KIND_OF_SERVER, server) ? KIND_OF_SERVER[server] : undefined;
  return kind === undefined ? null : make(kind, user);
}

/** A string key for an alias, for maps and sets. */
export const aliasKey = (alias: Alias): string => `${alias.kind}:${alias.value}`;

/** The same aliases in the same order, each once. */
export const distinctAliases = (aliases: readonly Alias[]): Alias[] => [
  ...new Map(aliases.map((alias) => [aliasKey(alias), alias])).values(),
];

// Reads a phone number as people write it, or a JID. Null if it is uncertain.

const SERVERS = { phone: 's.whatsapp.net', lid: 'lid' } as const;
const GROUP = /^\d+(-\d+)?@g\.us$/;

export function recipientJid(text: string): string | null {
  const given = text.trim();
  if (GROUP.test(given)) return given;
  const alias = given.includes('@') ? aliasOfJid(given) : phoneAlias(given);
  return alias === null ? null : `${alias.value}@${SERVERS[alias.kind]}`;
}
