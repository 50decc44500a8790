// The two addresses of a person, phone and LID, as far as they are stored. Nobody is asked.
import { isHostedPnUser, isLidUser, isPnUser, jidDecode } from '@whiskeysockets/baileys';

/** Looks up one entry of `lid-mapping`: a phone's LID, or with `_reverse` a LID's phone. */
export type LookUp = (id: string) => Promise<string | undefined>;

/** The same device under its person's LID; undefined when that is not known. */
export async function lidOf(jid: string, lookUp: LookUp): Promise<string | undefined> {
  if (isPnUser(jid)) return translate(jid, '', 'lid', lookUp);
  if (isHostedPnUser(jid)) return translate(jid, '', 'hosted.lid', lookUp);
  return undefined;
}

/** Every address under which the device may have been known, the LID first. */
export async function addressesOf(jid: string, lookUp: LookUp): Promise<string[]> {
  const lid = isLidUser(jid) ? jid : await lidOf(jid, lookUp);
  const phone = isLidUser(jid) ? await translate(jid, '_reverse', 's.whatsapp.net', lookUp) : jid;
  return [lid, phone].filter((address) => address !== undefined);
}

async function translate(
  jid: string,
  suffix: '' | '_reverse',
  server: string,
  lookUp: LookUp,
): Promise<string | undefined> {
  const { user, device } = jidDecode(jid) ?? {};
  const mapped = user && (await lookUp(user + suffix));
  return mapped ? `${mapped}${device ? `:${device}` : ''}@${server}` : undefined;
}
