// The outside of a message: who, to whom, when. Read from the stanza's attributes alone, because what
// is inside was written by the sender and could name anybody.
import type { MessageId } from '@relay/core/ids';
import { z } from 'zod';
import { isGroupJid, peopleOf, personJid, userOf } from '../addresses.ts';
import { cleanText, UnreadableMessage } from './unreadable.ts';

/** In the place of `offline`: it came live, and waited only for what had waited to be read before it. */
export const CAME_LIVE = 'live';

export interface Envelope {
  readonly id: MessageId;
  /** The group, or the person at the other end as far as the outside tells. */
  readonly chat: string;
  readonly isGroup: boolean;
  readonly sender: string;
  readonly fromMe: boolean;
  readonly alsoKnownAs: readonly string[];
  readonly pushName: string | null;
  readonly sentAt: Date;
  readonly late: boolean;
}

const STANZA_BYTES = 64 * 1024;
const LONGEST_NAME = 256;
const LATEST_SECOND = 8_640_000_000_000;

const jid = z
  .string()
  .max(128)
  .regex(/^[\w.:+-]+@[a-z.]+$/);
const address = jid.optional();
const attributes = z.object({
  id: z.string().min(1).max(256),
  from: jid,
  t: z.coerce.number().int().min(1).max(LATEST_SECOND),
  participant: address,
  recipient: address,
  notify: z.string().optional(),
  offline: z.string().optional(),
  sender_pn: address,
  sender_lid: address,
  participant_pn: address,
  participant_lid: address,
  recipient_pn: address,
  recipient_lid: address,
  peer_recipient_pn: address,
  peer_recipient_lid: address,
  /** The account's own addresses when the message came; ours, not the wire's. */
  own: z.array(z.string()).default([]),
});

type Attributes = z.infer<typeof attributes>;

function parse(stanza: Uint8Array): Attributes {
  if (stanza.byteLength > STANZA_BYTES) throw new UnreadableMessage('The stanza is too large.');
  try {
    return attributes.parse(JSON.parse(Buffer.from(stanza).toString('utf8')));
  } catch (cause) {
    throw new UnreadableMessage('The stanza is not one of a message.', { cause });
  }
}

/** Null for what is addressed to nobody: status updates and channels. */
export function readEnvelope(stanza: Uint8Array): Envelope | null {
  const attrs = parse(stanza);
  if (attrs.from === 'status@broadcast' || attrs.from.endsWith('@newsletter')) return null;
  const isGroup = isGroupJid(attrs.from);
  if (isGroup && attrs.participant === undefined) {
    throw new UnreadableMessage('A message in a group names no sender.');
  }
  const author = attrs.participant ?? attrs.from;
  const fromMe = isOwn(attrs, author);
  const sender = personJid(author);
  // A broadcast list is the sender's own affair: for the reader it is a message from them.
  const other = fromMe ? personJid(attrs.recipient ?? author) : sender;
  return {
    id: cleanText(attrs.id, LONGEST_NAME) as MessageId,
    chat: isGroup ? attrs.from : other,
    isGroup,
    sender,
    fromMe,
    alsoKnownAs: aliases(attrs, fromMe && !isGroup),
    pushName: cleanText(attrs.notify ?? '', LONGEST_NAME) || null,
    sentAt: new Date(attrs.t * 1_000),
    late: attrs.offline !== undefined && attrs.offline !== CAME_LIVE,
  };
}

/** Only the account's own devices name a recipient: the server takes that from nobody else. */
function isOwn({ own, recipient }: Attributes, author: string): boolean {
  if (own.length === 0) return recipient !== undefined;
  return own.some((jid) => userOf(jid) === userOf(author));
}

function aliases(attrs: Attributes, ofRecipient: boolean): string[] {
  return peopleOf(
    ofRecipient
      ? [
          attrs.recipient,
          attrs.recipient_pn,
          attrs.recipient_lid,
          attrs.peer_recipient_pn,
          attrs.peer_recipient_lid,
        ]
      : [
          attrs.participant ?? attrs.from,
          attrs.participant_pn,
          attrs.participant_lid,
          attrs.sender_pn,
          attrs.sender_lid,
        ],
  );
}
