// Hashes of what is permitted or approved: recipient and content together. A permit or an approval for one is none for
// another.
import { createHash } from 'node:crypto';
import type { ChatId } from '@relay/core/ids';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const contentHash = ({ chat, text }: { readonly chat: ChatId; readonly text: string }) =>
  sha256(`${chat}\n${text}`);

/** What a person is asked to approve, as `approvals.intent` holds it. */
export type ShownIntent =
  | { readonly kind: 'send_message'; readonly chat: ChatId; readonly text: string }
  | { readonly kind: 'create_conversation'; readonly chat: ChatId; readonly request: unknown }
  | {
      readonly kind: 'schedule_message' | 'cancel_schedule' | 'manage_grant';
      readonly chat?: ChatId;
    };

/** Of the recipient and all of the content. */
export function intentHash(intent: ShownIntent): string {
  if (intent.kind === 'send_message') return contentHash(intent);
  if (intent.kind === 'create_conversation') {
    return sha256(`${intent.kind}\n${intent.chat}\n${canonical(intent.request)}`);
  }
  const { kind, ...rest } = intent;
  return sha256(`${kind}\n${canonical(rest)}`);
}

/** The same whatever order its keys come in: the database keeps none. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
