// Whom a person means by what they typed: a phone number as people write it, or a JID. Null for what
// cannot be read for certain.
import { aliasOfJid, phoneAlias } from './alias.ts';

const SERVERS = { phone: 's.whatsapp.net', lid: 'lid' } as const;
const GROUP = /^\d+(-\d+)?@g\.us$/;

export function recipientJid(text: string): string | null {
  const given = text.trim();
  if (GROUP.test(given)) return given;
  const alias = given.includes('@') ? aliasOfJid(given) : phoneAlias(given);
  return alias === null ? null : `${alias.value}@${SERVERS[alias.kind]}`;
}
