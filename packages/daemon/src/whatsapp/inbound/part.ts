// What the kinds of content have in common, as far as it is read. All of it was chosen by a stranger.
import type { proto } from '@whiskeysockets/baileys';

export interface Part {
  readonly text?: string | null;
  readonly caption?: string | null;
  readonly fileName?: string | null;
  readonly mimetype?: string | null;
  readonly fileLength?: unknown;
  readonly seconds?: number | null;
  readonly contextInfo?: proto.IContextInfo | null;
  readonly key?: proto.IMessageKey | null;
  /** A poll's question, or what a place is called. */
  readonly name?: string | null;
  readonly address?: string | null;
  readonly options?: readonly proto.Message.PollCreationMessage.IOption[] | null;
  readonly displayName?: string | null;
}
