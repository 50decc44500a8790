// An inbox for tests: rows whose content is a message as JSON, and a reader for that form. A row can be marked as
// garbage or as no message.
import type { AccountId, MessageId } from '@relay/contract/ids';
import type { InboxReader, IncomingMessage } from '@relay/core/messages/message';
import type { TestStore } from '@relay/testing/store';
import type { UnsealRow } from '../inbox-row.ts';

export const ME = '4915100000000@s.whatsapp.net';
export const phone = (n: number) => `49151${String(n).padStart(8, '0')}@s.whatsapp.net`;
export const lid = (n: number) => `9000000${n}@lid`;
export const group = (n: number) => `12036300000${n}@g.us`;

let ids = 0;

export function incoming(over: Partial<IncomingMessage> = {}): IncomingMessage {
  const chat = over.chat ?? phone(1);
  return {
    id: `3EB0${String(++ids).padStart(12, '0')}` as MessageId,
    chat,
    isGroup: chat.endsWith('@g.us'),
    sender: over.fromMe === true ? ME : chat,
    fromMe: false,
    alsoKnownAs: [],
    pushName: null,
    sentAt: new Date('2026-02-21T10:00:00Z'),
    kind: 'conversation',
    body: 'hello',
    quotedId: null,
    media: null,
    details: null,
    late: false,
    expiresAfterS: null,
    ...over,
  };
}

export const readJson: InboxReader = (_stanza, content) => {
  const value = JSON.parse(Buffer.from(content).toString()) as IncomingMessage | null;
  return value && { ...value, sentAt: new Date(value.sentAt) };
};

export const openPlain: UnsealRow = (row) => row.content;

type Content = IncomingMessage | null | 'garbage';

/** Inserts in one statement, in this order. A message whose key exists is not inserted again. */
export async function receive(
  { sql }: Pick<TestStore, 'sql'>,
  account: AccountId,
  contents: readonly Content[],
): Promise<void> {
  const rows = contents.map((content) => {
    const message = content === null || content === 'garbage' ? incoming() : content;
    return [
      message.chat,
      message.sender,
      message.id,
      content === 'garbage' ? '{' : JSON.stringify(content),
    ];
  });
  const column = (n: number) => rows.map((row) => row[n]);
  await sql(
    `INSERT INTO inbox (account_id, chat, sender, message_id, stanza, content)
     SELECT $1, chat, sender, id, '', convert_to(content, 'UTF8')
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS m(chat, sender, id, content)
     ON CONFLICT DO NOTHING`,
    [account, column(0), column(1), column(2), column(3)],
  );
}
