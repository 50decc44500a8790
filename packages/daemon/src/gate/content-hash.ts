// What a permit is good for: recipient and content together. A permit for one is none for the other.
import { createHash } from 'node:crypto';
import type { ChatId } from '@relay/core/ids';

export function contentHash(message: { readonly chat: ChatId; readonly text: string }): string {
  return createHash('sha256').update(`${message.chat}\n${message.text}`).digest('hex');
}
