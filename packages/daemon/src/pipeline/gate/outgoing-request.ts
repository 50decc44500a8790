// Turns what a request asks to send into content that the gate can decide on: the file that it names, with its hash, and
// the message that it is about. A caller finds only media that it may see; the gate checks the rest.
import type { SendableKind } from '@relay/contract/api/media';
import type { ContentRequest, OutgoingContent } from '@relay/contract/api/outgoing';
import { RelayError } from '@relay/contract/errors';
import type { AccountId, ChatId, MediaId } from '@relay/contract/ids';
import type { Transaction } from '../../platform/db/database.ts';
import { findMedia, type MediaRow } from '../../platform/db/media.ts';
import { requireQuotable } from './quotable.ts';

interface ContentLookup {
  readonly account: AccountId;
  readonly chat: ChatId;
  /** Whether the caller may know of this media. The owner may know of all. */
  readonly sees?: (media: MediaRow) => boolean | Promise<boolean>;
}

/** Nothing for plain text, so that it can be spread into a message. */
export async function resolveContent(
  tx: Transaction,
  lookup: ContentLookup,
  request: ContentRequest | undefined,
): Promise<{ readonly content?: OutgoingContent }> {
  if (request === undefined) return {};
  const { account, chat } = lookup;
  const messageOf = (id: string) => requireQuotable(tx, account, chat, id);
  switch (request.kind) {
    case 'media':
      return { content: await fileContent(tx, lookup, request) };
    case 'reaction':
      return { content: { ...request, to: await messageOf(request.to) } };
    case 'edit':
    case 'delete':
      return { content: { kind: request.kind, of: await messageOf(request.of) } };
    case 'poll':
    case 'location':
      return { content: request };
  }
}

async function fileContent(
  tx: Transaction,
  { account, sees = () => true }: ContentLookup,
  { id, as }: Extract<ContentRequest, { kind: 'media' }>,
): Promise<OutgoingContent> {
  const media = await findMedia(tx, account, id as MediaId);
  if (media === null || !(await sees(media))) throw new RelayError('media_not_found');
  const { sha256, bytes, mime_type: mimetype, file_name } = media;
  // View-once media are not forwarded.
  if (sha256 === null || bytes === null || mimetype === null || media.view_once) {
    throw new RelayError('media_not_stored');
  }
  return {
    kind: 'media',
    media: media.id,
    as: sendableAs(as, mimetype),
    sha256: sha256.toString('hex'),
    bytes,
    mimetype,
    file_name,
  };
}

/** Phones play only Ogg as a voice message; other audio is sent as a file. */
function sendableAs(as: SendableKind, mimetype: string): SendableKind {
  if (as === 'document') return as;
  const group = mimetype.split('/', 1)[0];
  const isVoice = /^audio\/ogg\b/.test(mimetype);
  if (as === 'voice' && group === 'audio') return isVoice ? 'voice' : 'audio';
  // Phones do not show a picture of any other type.
  const fits = as === 'image' ? /^image\/(jpeg|png|webp|gif)$/.test(mimetype) : group === as;
  if (!fits) throw new RelayError('media_wrong_kind', { mimetype, kind: as });
  return as;
}
