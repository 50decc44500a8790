// A message that a person is asked to send: what it is, and how it travels.
// Invariant: words that would have no effect together are refused, never ignored.
import { z } from 'zod';
import { Addressing, ChatId, Moment } from './words.ts';

const MessageId = z.string().min(1).max(128);

const Media = z.strictObject({
  kind: z.enum(['image', 'video', 'audio', 'document']),
  /** The file itself, in base64. */
  data: z.base64().min(1),
  mimetype: z.string().min(1),
  /** Of a document. */
  fileName: z.string().min(1).exactOptional(),
});
export type Media = z.infer<typeof Media>;

const Asked = z.strictObject({
  to: ChatId,
  /** The words; with media its caption, with edit the new wording. */
  text: z.string().min(1).exactOptional(),
  media: Media.exactOptional(),
  /** An empty emoji takes the reaction back. */
  reaction: z.strictObject({ id: MessageId, emoji: z.string().max(32) }).exactOptional(),
  delete: MessageId.exactOptional(),
  quoted: MessageId.exactOptional(),
  edit: MessageId.exactOptional(),
  id: MessageId.exactOptional(),
  at: Moment.exactOptional(),
  addressing: Addressing.exactOptional(),
  corrupt: z.boolean().exactOptional(),
});
export type NewMessage = z.infer<typeof Asked>;

export const NewMessage = Asked.check(({ issues, value }) => {
  const problem = contradiction(value);
  if (problem) issues.push({ code: 'custom', message: problem, input: value });
});

function contradiction(message: NewMessage): string | undefined {
  const has = (name: keyof NewMessage) => message[name] !== undefined;
  const kinds = [has('text') || has('media'), has('reaction'), has('delete')].filter(Boolean);
  if (kinds.length !== 1) return 'a message is text, media, a reaction or a deletion';
  const refers = has('quoted') || has('edit');
  if (refers && (!has('text') || has('media'))) return 'only text quotes or edits';
  if (has('quoted') && has('edit')) return 'an edit quotes nothing';
  if (message.media?.kind === 'audio' && has('text')) return 'audio has no caption';
  if (message.media?.fileName && message.media.kind !== 'document') {
    return 'only a document has a file name';
  }
  const how = (['id', 'at', 'addressing', 'corrupt'] as const).filter(has);
  return has('reaction') && how.length > 0 ? `a reaction takes no ${how.join(', ')}` : undefined;
}
