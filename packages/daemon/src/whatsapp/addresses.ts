// Reduces JIDs to what identifies a person or a group.
// Invariant: pure; anything that is not an address is returned as null or unchanged, never as somebody else.
import { aliasOfJid } from '@relay/core/contacts/alias';
import {
  type AuthenticationCreds,
  isHostedPnUser,
  isLidUser,
  isPnUser,
  jidDecode,
} from '@whiskeysockets/baileys';

const DEVICE = /^([^@:_]+)(?:_\d+)?(?::\d+)?@(.+)$/;

/** Removes agent and device: the person, not one of their phones or browsers. */
export function personJid(jid: string): string {
  const [, user = '', server = ''] = DEVICE.exec(jid) ?? [];
  if (user === '') return jid;
  if (server === 'c.us' || server === 'hosted') return `${user}@s.whatsapp.net`;
  return `${user}@${server === 'hosted.lid' ? 'lid' : server}`;
}

export const userOfJid = (jid: string): string => personJid(jid).split('@', 1)[0] ?? '';

/** The users that are the account itself: its number and its LID. */
export const ownUsers = ({ me }: AuthenticationCreds): string[] =>
  [me?.id, me?.lid].flatMap((jid) => (jid ? userOfJid(jid) : []));

export const isGroupJid = (jid: string): boolean => jid.endsWith('@g.us');

/** The digits of a phone address; null for a LID and for anything that is not a person. */
export function phoneOfJid(jid: string | undefined): string | null {
  const alias = jid === undefined ? null : aliasOfJid(jid);
  return alias?.kind === 'phone' ? alias.value : null;
}

export function lidOfJid(jid: string | undefined): string | null {
  const alias = jid === undefined ? null : aliasOfJid(jid);
  return alias?.kind === 'lid' ? alias.value : null;
}

/** The addresses of people among these, without duplicates, in their order. */
export function personJids(jids: readonly (string | null | undefined)[]): string[] {
  const people = jids.filter((jid): jid is string => typeof jid === 'string');
  return [...new Set(people.filter((jid) => aliasOfJid(jid) !== null).map(personJid))];
}

// Maps between the phone address and the LID of a person, as far as they are stored. The server is not asked.

/** Looks up one entry of `lid-mapping`: a phone's LID, or with `_reverse` a LID's phone. */
export type LidLookup = (id: string) => Promise<string | undefined>;

/** The same device under its person's LID; undefined if that is not known. */
export async function resolveLid(jid: string, lookUp: LidLookup): Promise<string | undefined> {
  if (isPnUser(jid)) return translate(jid, '', 'lid', lookUp);
  if (isHostedPnUser(jid)) return translate(jid, '', 'hosted.lid', lookUp);
  return undefined;
}

/** Every address under which the device may be known, the LID first. */
export async function listKnownAddresses(jid: string, lookUp: LidLookup): Promise<string[]> {
  const lid = isLidUser(jid) ? jid : await resolveLid(jid, lookUp);
  const phone = isLidUser(jid) ? await translate(jid, '_reverse', 's.whatsapp.net', lookUp) : jid;
  return [lid, phone].filter((address) => address !== undefined);
}

async function translate(
  jid: string,
  suffix: '' | '_reverse',
  server: string,
  lookUp: LidLookup,
): Promise<string | undefined> {
  const { user, device } = jidDecode(jid) ?? {};
  const mapped = user && (await lookUp(user + suffix));
  return mapped ? `${mapped}${device ? `:${device}` : ''}@${server}` : undefined;
}
