// Fixture: rows of media as the store leaves them, and messages that content can be about.
import { randomBytes, randomUUID } from 'node:crypto';
import type { SendableKind } from '@relay/contract/api/media';
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import type { AccountId } from '@relay/contract/ids';
import { sha256Hex } from '@relay/testing/files';
import type { TestStore } from '@relay/testing/store';

interface MediaToPut {
  readonly chat?: string;
  readonly token?: string;
  readonly bytes?: Buffer;
  readonly mimetype?: string;
  readonly name?: string | null;
}

export type FileContent = Extract<OutgoingContent, { kind: 'media' }>;

/** A stored file: received in a chat, or uploaded. Returns it as content, and its bytes. */
export async function putMedia(
  { sql, account }: Pick<TestStore, 'sql'> & { readonly account: AccountId },
  { chat, token, bytes = randomBytes(500), mimetype = 'image/jpeg', name = 'cat.jpg' }: MediaToPut,
  as: SendableKind = 'image',
): Promise<{ readonly content: FileContent; readonly bytes: Buffer }> {
  const sha256 = sha256Hex(bytes);
  await sql(
    `INSERT INTO media_objects (account_id, sha256, object, bytes) VALUES ($1, decode($2, 'hex'), $2, $3)
     ON CONFLICT DO NOTHING`,
    [account, sha256, bytes.length],
  );
  const id = randomUUID();
  await sql(
    `INSERT INTO media (account_id, id, chat_id, origin, token_id, kind, mime_type, file_name, bytes, sha256, state)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, decode($10, 'hex'), 'stored')`,
    [
      account,
      id,
      chat ?? null,
      chat === undefined ? 'uploaded' : 'received',
      token ?? null,
      as,
      mimetype,
      name,
      bytes.length,
      sha256,
    ],
  );
  const content = {
    kind: 'media',
    media: id,
    as,
    sha256,
    bytes: bytes.length,
    mimetype,
    file_name: name,
  } as const;
  return { content, bytes };
}

/** A stored message of the chat, by its contact or by the account itself. Returns its id. */
export async function putChatMessage(
  { sql, account }: Pick<TestStore, 'sql'> & { readonly account: AccountId },
  chat: string,
  body: string,
  { fromMe = false, ago = '0 seconds' }: { readonly fromMe?: boolean; readonly ago?: string } = {},
): Promise<string> {
  await sql('SELECT ensure_message_month(now() - $1::interval)', [ago]);
  const [row] = await sql<{ id: number; at: Date; who: string | null; message: string }>(
    `INSERT INTO messages (account_id, sent_at, chat_id, sender_id, from_me, message_id, kind, body, sender_address)
     SELECT account_id, date_trunc('second', now() - $6::interval), id, CASE WHEN NOT $5 THEN contact_id END, $5, $3,
       'conversation', $4, '491517770000:4@s.whatsapp.net'
     FROM chats WHERE account_id = $1 AND id = $2 RETURNING id, sent_at AS at, sender_id AS who, message_id AS message`,
    [account, chat, `3EB0${randomBytes(6).toString('hex').toUpperCase()}`, body, fromMe, ago],
  );
  if (row === undefined) throw new Error('there is no such chat');
  await sql(
    `INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at) VALUES ($1, $2, $3, $4, $5, $6)`,
    [account, chat, row.who ?? 'me', row.message, row.id, row.at],
  );
  return row.message;
}
