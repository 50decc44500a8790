// What stored messages say to a model, a client or a search: the one place that adds what was understood of their media
// to their text. Everything here is the sender's, like the text itself.
import type { AccountId, ChatId, MessageId } from '@relay/contract/ids';
import type { LinePhoto } from '@relay/core/ports/agent-turn';
import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';

/** How many characters of a document a model is given with its message: about 2,000 tokens. */
const DOCUMENT_FOR_AGENTS = 7_000;
/** In lists of messages. */
const DOCUMENT_IN_LISTS = 1_000;

/** What media say is found in pieces of this length; `forget_media_documents` counts with it too. */
export const PIECE_CHARACTERS = 2_000;

/** The text of the message in this alias of `messages`. */
export const messageTextSql = (
  message: RawBuilder<unknown>,
  documentCharacters = DOCUMENT_IN_LISTS,
): RawBuilder<string> => sql<string>`CASE WHEN ${message}.media IS NULL THEN ${message}.body
  ELSE message_text(${message}.account_id, ${message}.id, ${message}.body, ${documentCharacters}::int) END`;

/** What a line of a conversation says besides its stored text. */
interface LineMedia {
  /** Replaces the stored text, which is only a placeholder with a caption. */
  readonly text: string;
  readonly photo: LinePhoto | null;
  /** It is the transcript of a voice message. */
  readonly isSpoken: boolean;
}

interface LineOfMessage {
  readonly message: MessageId;
  readonly fromMe: boolean;
}

type LineMediaOf = (line: LineOfMessage) => LineMedia | null;

interface LineMediaRow {
  message_id: MessageId;
  from_me: boolean;
  text: string;
  kind: string;
  transcript: boolean;
  object: string | null;
  mime_type: string | null;
  bytes: number | null;
  view_once: boolean;
}

/** Types of photos that models accept. */
const SHOWN_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
/** What every provider accepts, encoded as base64. */
const LARGEST_SHOWN = 3_500_000;

/** The media of a chat's messages; senders choose ids, so a line is found by its author too. */
export async function readLineMedia(
  db: Db,
  account: AccountId,
  chat: ChatId,
  messages: readonly (MessageId | null)[],
): Promise<LineMediaOf> {
  const ids = [...new Set(messages.filter((id) => id !== null))];
  if (ids.length === 0) return () => null;
  const { rows } = await sql<LineMediaRow>`
    SELECT x.message_id, m.from_me, x.kind, x.transcript IS NOT NULL AS transcript, o.object,
      x.mime_type, x.bytes, x.view_once,
      message_text(m.account_id, m.id, concat_ws(E'\n', m.body,
        CASE WHEN m.kind = 'documentMessage' THEN m.details->>'words' END), ${DOCUMENT_FOR_AGENTS}::int) AS text
    FROM media x JOIN messages m ON m.account_id = x.account_id AND m.sent_at = x.message_at AND m.id = x.message
      LEFT JOIN media_objects o ON o.account_id = x.account_id AND o.sha256 = x.sha256
    WHERE x.account_id = ${account} AND x.chat_id = ${chat} AND x.message_id = ANY(${ids}::text[])
      AND x.message IS NOT NULL
    ORDER BY x.message`.execute(db);
  return ({ message, fromMe }) => {
    const row = rows.find((each) => each.message_id === message && each.from_me === fromMe);
    if (row === undefined) return null;
    const isSpoken = row.kind === 'voice' && row.transcript;
    return { text: row.text, photo: photoOf(row), isSpoken };
  };
}

/** View-once media are shown to no model. */
function photoOf({ kind, object, mime_type, bytes, view_once }: LineMediaRow): LinePhoto | null {
  if (view_once) return null;
  if (kind !== 'image' || object === null || mime_type === null || bytes === null) return null;
  if (!SHOWN_TYPES.includes(mime_type) || bytes > LARGEST_SHOWN) return null;
  return { object, mimeType: mime_type };
}

/** Whether photos of this chat may go to the model's provider: the owner's choice, otherwise `byDefault`. */
export async function mayShowPhotos(
  db: Db,
  account: AccountId,
  chat: ChatId,
  byDefault: boolean,
): Promise<boolean> {
  const { rows } = await sql<{ photos: 'show' | 'hide' | null }>`
    SELECT g.options->>'photos' AS photos FROM chats c JOIN grants g ON g.account_id = c.account_id
      AND CASE c.kind WHEN 'direct' THEN g.contact_id = c.contact_id ELSE g.chat_id = c.id END
    WHERE c.account_id = ${account} AND c.id = ${chat}`.execute(db);
  const photos = rows[0]?.photos ?? null;
  return photos === null ? byDefault : photos === 'show';
}

// A turn waits for the media it is about, up to a bound: without them it would answer what it has not seen.

/** How long a turn waits for media, by Relay's clock, from when their message was stored. */
export const MEDIA_WAIT_MS = 30_000;
/** In case a hint is lost. */
const MEDIA_POLL_MS = 500;
/** After a hint: while files arrive there are many. */
const MEDIA_GATHER_MS = 50;

interface MediaWait {
  readonly db: Db;
  readonly lease: { readonly account: AccountId };
  readonly events: { subscribe(listener: () => void): () => void };
  readonly now: () => Date;
}

/**
 * Waits until the media that a chat has now are understood, or for as long as a turn may wait. Media that arrive
 * meanwhile are the next turn's. Returns at once when the signal aborts, and where the query `chat` finds no chat.
 */
export async function waitForMedia(
  { db, lease: { account }, events, now }: MediaWait,
  chat: Expression<{ chat_id: ChatId | null }>,
  signal: AbortSignal,
): Promise<void> {
  const began = now();
  const isWaiting = async () => {
    const { rows } = await sql`SELECT FROM media
      WHERE account_id = ${account} AND (state = 'waiting' OR understood = 'waiting')
        AND chat_id = ${chat}
        AND created_at > ${new Date(now().getTime() - MEDIA_WAIT_MS)} AND created_at <= ${began} LIMIT 1`.execute(
      db,
    );
    return rows.length > 0;
  };
  let wake = () => {};
  const unsubscribe = events.subscribe(() => wake());
  try {
    while (!signal.aborted && (await isWaiting())) {
      await new Promise<void>((resolve) => {
        let timer = setTimeout(resolve, MEDIA_POLL_MS);
        wake = () => {
          wake = () => {};
          clearTimeout(timer);
          timer = setTimeout(resolve, MEDIA_GATHER_MS);
        };
        const stop = () => {
          wake = () => {};
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) stop();
      });
    }
  } finally {
    unsubscribe();
  }
}
