// JIDs as the wire writes them, reduced to what names a person or a group.
// Invariant: pure; whatever is no address comes back as null or unchanged, never as somebody else.
import { aliasOfJid } from '@relay/core/contacts/alias';

const DEVICE = /^([^@:_]+)(?:_\d+)?(?::\d+)?@(.+)$/;

/** Without agent and device: the person, not one of their phones or browsers. */
export function personJid(jid: string): string {
  const [, user = '', server = ''] = DEVICE.exec(jid) ?? [];
  if (user === '') return jid;
  if (server === 'c.us' || server === 'hosted') return `${user}@s.whatsapp.net`;
  return `${user}@${server === 'hosted.lid' ? 'lid' : server}`;
}

export const userOf = (jid: string): string => personJid(jid).split('@', 1)[0] ?? '';

export const isGroupJid = (jid: string): boolean => jid.endsWith('@g.us');

/** The digits of a phone address; null for a LID and for whatever is no person. */
export function phoneOf(jid: string | undefined): string | null {
  const alias = jid === undefined ? null : aliasOfJid(jid);
  return alias?.kind === 'phone' ? alias.value : null;
}

export function lidOf(jid: string | undefined): string | null {
  const alias = jid === undefined ? null : aliasOfJid(jid);
  return alias?.kind === 'lid' ? alias.value : null;
}

/** The addresses of people among these, each once, in their order. */
export function peopleOf(jids: readonly (string | null | undefined)[]): string[] {
  const people = jids.filter((jid): jid is string => typeof jid === 'string');
  return [...new Set(people.filter((jid) => aliasOfJid(jid) !== null).map(personJid))];
}
