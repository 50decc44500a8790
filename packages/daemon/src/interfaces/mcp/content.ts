// What a client may send besides text: the input of the tools, and which files a client may name.
import {
  type ContentFields,
  contentFields,
  contentProblem,
  readContentFields,
} from '@relay/contract/api/outgoing';
import { RelayError } from '@relay/contract/errors';
import type { ChatId, TokenId } from '@relay/contract/ids';
import { resolveContent } from '../../pipeline/gate/outgoing-request.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { findReachableByIds } from './resolve-chat.ts';
import type { ClientCall } from './tool.ts';

const { media, reaction, edit, delete: deleted, poll, location } = contentFields;

export const SCHEDULABLE_INPUT = {
  media: media.describe(
    'A file, by the id of an upload (POST /api/media) or of a message’s media.',
  ),
  poll: poll.describe('With an empty `message`: a poll.'),
  location: location.describe('With an empty `message`: a place.'),
};

export const CONTENT_INPUT = {
  ...SCHEDULABLE_INPUT,
  reaction: reaction.describe(
    'With an empty `message`: an emoji on a message; empty takes it back.',
  ),
  edit: edit.describe('`message` becomes the new text of this message, which you sent.'),
  delete: deleted.describe(
    'With an empty `message`: deletes a message that you sent, for everyone.',
  ),
};

type ContentInput = Partial<ContentFields> & { readonly message?: string | undefined };

/** The text and the content that a call asks for. With a file, the message is its caption. */
export function readContentInput({ message = '', media: file, ...others }: ContentInput) {
  const isCaption = file !== undefined && file.caption === undefined && message.trim() !== '';
  const text = message.trim() === '' || isCaption ? undefined : message;
  const fields = { ...others, media: isCaption ? { ...file, caption: message } : file };
  const problem = contentProblem({ text, ...fields });
  if (problem !== null) throw new RelayError('invalid_request', { what: problem });
  return readContentFields({ text, ...fields });
}

/** Looked up for the client: it sees its own uploads, and the media of chats that it may read. */
export async function resolveContentInput(
  call: ClientCall,
  tx: Transaction,
  chat: ChatId,
  input: ContentInput,
) {
  const { text, content: wanted } = readContentInput(input);
  const { account } = call.deps.lease;
  const sees = (media: VisibleMedia) => seesMedia(call, media);
  return { text, ...(await resolveContent(tx, { account, chat, sees }, wanted)) };
}

interface VisibleMedia {
  readonly chat_id: ChatId | null;
  readonly token_id: TokenId | null;
}

async function seesMedia(call: ClientCall, { chat_id, token_id }: VisibleMedia): Promise<boolean> {
  if (chat_id === null) return token_id === call.actor.token;
  if (!call.client.scopes.includes('media:read')) return false;
  const [of] = await findReachableByIds(call, [chat_id]);
  return of?.canRead === true;
}
