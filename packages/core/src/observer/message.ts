// A message of an observed group as the observer reads it, whichever way it came. Pure. The noise filter,
// the trigger and the digests see messages in this form and in no other.

export const GROUP_MESSAGE_KINDS = [
  'text',
  'image',
  'video',
  'document',
  'audio',
  'sticker',
  'reaction',
  'poll',
  'contact',
  'location',
  'deleted',
  'system',
] as const;
export type GroupMessageKind = (typeof GROUP_MESSAGE_KINDS)[number];

export interface GroupMessage {
  /** Unique within the group. */
  readonly id: string;
  readonly at: Date;
  /** Tells members apart; says nothing else. */
  readonly sender: string;
  readonly senderName: string;
  readonly fromOwner: boolean;
  /** Written by the assistant itself, in answer to the owner. */
  readonly fromAssistant: boolean;
  readonly kind: GroupMessageKind;
  /**
   * Words or caption; the file name of a document, the question and options of a poll, the emoji of a
   * reaction (empty: taken back). Media without a caption is empty, or a forwarder's placeholder.
   */
  readonly text: string;
  /** The message it replies to. */
  readonly quotedId: string | null;
  readonly forwarded: boolean;
  /** Of a reaction: to which message. */
  readonly reactionTo: string | null;
  /** Of a deletion or an edit: which message is gone. */
  readonly replaces: string | null;
  /** JIDs; the text has `@<digits>` in their place. */
  readonly mentions: readonly string[];
}
