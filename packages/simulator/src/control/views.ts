// What the control API shows of messages and stanzas, as plain JSON.
// Invariant: bytes are base64, moments are ISO 8601, and what is absent is absent or null.
import { proto } from '@whiskeysockets/baileys';
import type { SeenMessage } from '../whatsapp/people/mailbox.ts';
import type { LoggedStanza } from '../whatsapp/server/stanza-log.ts';
import type { Stanza } from '../whatsapp/wire/nodes.ts';

const KINDS = {
  image: 'imageMessage',
  video: 'videoMessage',
  audio: 'audioMessage',
  document: 'documentMessage',
} as const;

export function messageView({ content, text, ...message }: SeenMessage) {
  return {
    ...message,
    text: text ?? null,
    media: content ? mediaView(content) : null,
    content: content ? proto.Message.fromObject(content).toJSON() : null,
  };
}

function mediaView(content: proto.IMessage) {
  for (const [kind, field] of Object.entries(KINDS)) {
    const media = content[field];
    if (media) return { kind, mimetype: media.mimetype ?? null };
  }
  return null;
}

export function loggedView({ account, device, stanza, ...logged }: LoggedStanza) {
  return { ...logged, account: account ?? null, device: device ?? null, stanza: node(stanza) };
}

interface StanzaView {
  tag: string;
  attrs: Record<string, string>;
  /** Children, text, or bytes. */
  content?: StanzaView[] | string | { base64: string };
}

function node({ attrs, content, tag }: Stanza): StanzaView {
  if (content === undefined) return { tag, attrs };
  if (typeof content === 'string') return { tag, attrs, content };
  if (Array.isArray(content)) return { tag, attrs, content: content.map(node) };
  return { tag, attrs, content: { base64: Buffer.from(content).toString('base64') } };
}
