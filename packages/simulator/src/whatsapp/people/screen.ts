// What a chat looks like on a phone: reactions, votes, edits and deletions are shown on the message they belong to, not
// as messages of their own. Invariant: people change only their own messages; a phone ignores anything else.
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { decryptPollVote, normalizeMessageContent, proto } from '@whiskeysockets/baileys';
import { mediaPartOf } from '../media.ts';
import { type SeenMessage, textOf } from './mailbox.ts';

interface ShownMedia {
  kind: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  /** A recording, not an audio file. */
  voice: boolean;
  viewOnce: boolean;
  mimetype: string | undefined;
  fileName: string | undefined;
  bytes: number;
  seconds: number | undefined;
}

interface ShownPoll {
  question: string;
  options: string[];
  /** 0: any number. */
  selectable: number;
  /** Phone number → chosen options. */
  votes: Record<string, string[]>;
}

export interface ShownMessage extends Omit<SeenMessage, 'content'> {
  edited: boolean;
  deleted: boolean;
  /** Phone number → emoji. */
  reactions: Record<string, string>;
  /** The id of the quoted message. */
  quoted: string | undefined;
  media: ShownMedia | undefined;
  poll: ShownPoll | undefined;
  location: { latitude: number; longitude: number; name: string; address: string } | undefined;
  contacts: { name: string; vcard: string }[];
}

/** The jid under which a person votes. */
type JidOf = (phone: string) => string | undefined;

export function shownMessages(messages: readonly SeenMessage[], jidOf: JidOf): ShownMessage[] {
  const shown = new Map<string, ShownMessage>();
  for (const message of messages) {
    const content = message.content && normalizeMessageContent(message.content);
    if (content?.reactionMessage || content?.protocolMessage || content?.pollUpdateMessage) {
      applyChange(message, content, shown, messages, jidOf);
    } else shown.set(message.id, shownMessage(message));
  }
  return [...shown.values()];
}

function applyChange(
  { from }: SeenMessage,
  content: proto.IMessage,
  shown: ReadonlyMap<string, ShownMessage>,
  all: readonly SeenMessage[],
  jidOf: JidOf,
): void {
  const { pollUpdateMessage, protocolMessage, reactionMessage } = content;
  const key = reactionMessage?.key ?? protocolMessage?.key;
  const target = shown.get(key?.id ?? pollUpdateMessage?.pollCreationMessageKey?.id ?? '');
  if (!target) return;
  if (reactionMessage) {
    if (reactionMessage.text) target.reactions[from] = reactionMessage.text;
    else delete target.reactions[from];
    return;
  }
  if (pollUpdateMessage) {
    const poll = all.find(({ id }) => id === target.id);
    if (poll && target.poll) {
      target.poll.votes[from] = readVote(poll, target.poll, pollUpdateMessage, from, jidOf);
    }
    return;
  }
  if (target.from !== from) return;
  const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
  if (protocolMessage?.type === MESSAGE_EDIT && protocolMessage.editedMessage) {
    target.text = textOf(protocolMessage.editedMessage);
    target.edited = true;
  }
  if (protocolMessage?.type === REVOKE) {
    Object.assign(target, { deleted: true, text: undefined, media: undefined, reactions: {} });
  }
}

function shownMessage({ content, ...message }: SeenMessage): ShownMessage {
  const inner = (content && normalizeMessageContent(content)) ?? {};
  const part = content && mediaPartOf(content);
  const { address, degreesLatitude, degreesLongitude, name } = inner.locationMessage ?? {};
  const contacts = inner.contactMessage
    ? [inner.contactMessage]
    : (inner.contactsArrayMessage?.contacts ?? []);
  const quoting = inner.extendedTextMessage ?? part?.fields;
  return {
    ...message,
    edited: false,
    deleted: false,
    reactions: {},
    quoted: quoting?.contextInfo?.stanzaId ?? undefined,
    media: part && {
      kind: part.kind,
      voice: part.kind === 'audio' && part.fields.ptt === true,
      viewOnce: part.viewOnce,
      mimetype: part.fields.mimetype ?? undefined,
      fileName: part.fields.fileName ?? undefined,
      bytes: Number(part.fields.fileLength ?? 0),
      seconds: part.fields.seconds ?? undefined,
    },
    poll: shownPoll(inner),
    location: inner.locationMessage
      ? {
          latitude: degreesLatitude ?? 0,
          longitude: degreesLongitude ?? 0,
          name: name ?? '',
          address: address ?? '',
        }
      : undefined,
    contacts: contacts.map(({ displayName, vcard }) => ({
      name: displayName ?? '',
      vcard: vcard ?? '',
    })),
  };
}

function pollOf(inner: proto.IMessage) {
  return inner.pollCreationMessage ?? inner.pollCreationMessageV2 ?? inner.pollCreationMessageV3;
}

function shownPoll(inner: proto.IMessage): ShownPoll | undefined {
  const poll = pollOf(inner);
  if (!poll) return undefined;
  return {
    question: poll.name ?? '',
    options: (poll.options ?? []).map(({ optionName }) => optionName ?? ''),
    selectable: poll.selectableOptionsCount ?? 0,
    votes: {},
  };
}

// Votes are encrypted with the poll's secret, which only the members of the chat have; they name options by hash.

const optionHash = (option: string) => createHash('sha256').update(option).digest();

function secretOf({ content }: SeenMessage): Uint8Array {
  const secret = content?.messageContextInfo?.messageSecret;
  if (!secret) throw new Error('this message is not a poll');
  return secret;
}

function readVote(
  poll: SeenMessage,
  { options }: ShownPoll,
  { vote }: proto.Message.IPollUpdateMessage,
  voter: string,
  jidOf: JidOf,
): string[] {
  const [pollCreatorJid, voterJid] = [jidOf(poll.from), jidOf(voter)];
  if (!vote || !pollCreatorJid || !voterJid) return [];
  const pollEncKey = secretOf(poll);
  const chosen = decryptPollVote(vote, {
    pollCreatorJid,
    pollMsgId: poll.id,
    pollEncKey,
    voterJid,
  });
  const hashes = chosen.selectedOptions ?? [];
  return options.filter((option) => hashes.some((hash) => optionHash(option).equals(hash)));
}

/** The encrypted vote for some options of a poll. */
export function sealVote(
  poll: SeenMessage,
  chosen: readonly string[],
  { creatorJid, voterJid }: { creatorJid: string; voterJid: string },
): proto.Message.IPollEncValue {
  const hmac = (key: Uint8Array, data: Uint8Array) =>
    createHmac('sha256', key).update(data).digest();
  const sign = Buffer.concat([
    Buffer.from(`${poll.id}${creatorJid}${voterJid}Poll Vote`),
    Buffer.from([1]),
  ]);
  const key = hmac(hmac(new Uint8Array(32), secretOf(poll)), sign);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(`${poll.id}\u0000${voterJid}`));
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions: chosen.map(optionHash) });
  const sealed = Buffer.concat([cipher.update(plain.finish()), cipher.final()]);
  return { encPayload: Buffer.concat([sealed, cipher.getAuthTag()]), encIv: iv };
}
