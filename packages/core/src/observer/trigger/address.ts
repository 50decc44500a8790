// Phase 1 of the trigger: whether a message of an observed group may be meant for the assistant. Pure, and
// asked of every message, so it costs no call of a model. Nothing that was forwarded is ever an address.
import type { GroupMessage } from '../message.ts';
import { calls } from './name.ts';

export interface Addressee {
  /** What the owner calls the assistant: `observer.assistant_name`. */
  readonly name: string;
  /** Every address of the linked account, by phone number and by LID. */
  readonly jids: readonly string[];
  /** Whether the assistant itself wrote this message of the group. */
  readonly isAssistantMessage: (id: string) => boolean;
}

export const ADDRESSES = ['reply', 'mention', 'name'] as const;
/** By what a message may be meant for the assistant. */
export type Address = (typeof ADDRESSES)[number];

/** True only for the owner: what others say to the assistant is noted and met with silence. */
export function mayBeAddressed(message: GroupMessage, who: Addressee): boolean {
  return message.fromOwner && addressIn(message, who) !== null;
}

/** Whoever wrote it; null where nothing in it names the assistant. */
export function addressIn(message: GroupMessage, who: Addressee): Address | null {
  if (message.forwarded || message.fromAssistant || !WRITTEN.has(message.kind)) return null;
  if (message.quotedId !== null && who.isAssistantMessage(message.quotedId)) return 'reply';
  if (mentions(message, who.jids)) return 'mention';
  return calls(message.text, who.name) ? 'name' : null;
}

/** Kinds whose text somebody typed. A document's is the name of its file, a contact's somebody else's. */
const WRITTEN: ReadonlySet<GroupMessage['kind']> = new Set([
  'text',
  'image',
  'video',
  'audio',
  'location',
  'poll',
]);

/** A forwarder of notifications gives no list of mentions, but their digits stand in the text. */
function mentions({ text, mentions: listed }: GroupMessage, jids: readonly string[]): boolean {
  const own = new Set(jids.map(withoutDevice));
  if (listed.length > 0) return listed.some((jid) => own.has(withoutDevice(jid)));
  const users = new Set(jids.map(userOf));
  return Array.from(text.matchAll(MENTION)).some(([, digits = '']) => users.has(digits));
}

/** As it stands in a text. */
export const MENTION = /@(\d{5,})/g;

export const userOf = (jid: string): string => jid.replace(/[:@].*$/, '');
const withoutDevice = (jid: string): string => jid.replace(/:\d+(?=@)/, '');
