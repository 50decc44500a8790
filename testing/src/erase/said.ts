// What a planted person said, and who they are: contact, chats, messages, and what finds them.
import { randomBytes, randomUUID } from 'node:crypto';
import type { ChatId } from '@relay/core/ids';
import type { Sowing } from './sow.ts';

export async function people(sowing: Sowing): Promise<void> {
  await sowing.sow('contacts', { id: sowing.contact }, { text: 'display_name push_name' });
  await sowing.put('contact_aliases', {
    kind: 'phone',
    value: sowing.phone,
    contact_id: sowing.contact,
  });
  await sowing.put('contact_aliases', {
    kind: 'lid',
    value: sowing.lid,
    contact_id: sowing.contact,
  });
  await sowing.put('chats', { id: sowing.chat, kind: 'direct', contact_id: sowing.contact });
  if (sowing.options.group === undefined) {
    await sowing.sow(
      'chats',
      { id: sowing.group, kind: 'group' },
      { text: 'group_address subject' },
    );
  }
  await sowing.put('chat_members', { chat_id: sowing.group, contact_id: sowing.contact });
  await sowing.sow(
    'grants',
    { contact_id: sowing.contact },
    { text: 'display_name', json: 'options' },
  );
  await sowing.put('knocks', { contact_id: sowing.contact });
}

export async function spoken(sowing: Sowing): Promise<void> {
  const address = `${sowing.phone}@s.whatsapp.net`;
  await sowing.sql(`SELECT ensure_message_month($1)`, [sowing.at]);
  for (const [chat, sender] of [
    [sowing.chat, sowing.contact],
    [sowing.chat, null],
    [sowing.group, sowing.contact],
  ] as const) {
    const message_id = `3EB0${randomBytes(8).toString('hex').toUpperCase()}`;
    sowing.messages.push(message_id);
    const [row] = await sowing.sql(`SELECT nextval('message_ids') AS id`);
    const id = Number(row?.id);
    const place = { chat_id: chat, message_id, id, sent_at: sowing.at };
    await sowing.put('message_keys', { ...place, sender: sender ?? 'me' });
    await sowing.sow(
      'messages',
      {
        ...place,
        sender_id: sender,
        from_me: sender === null,
        kind: 'conversation',
        received_at: sowing.at,
      },
      { text: 'body chat_address sender_address', json: 'details media', bytes: 'content' },
    );
    await document(sowing, 'message', String(id), chat);
  }
  await named(sowing);
  await sowing.sow(
    'inbox',
    { chat: address, sender: address, message_id: 'M', received_at: sowing.at, done_at: sowing.at },
    { text: 'failure', bytes: 'stanza content' },
  );
  const [chat, sender] = [`${sowing.lid}@lid`, `${sowing.lid}:3@lid`];
  await sowing.put('inbox', { chat, sender, message_id: 'N', stanza: '', content: '' });
  await sowing.sow(
    'decrypt_journal',
    { digest: randomBytes(32), at: sowing.at },
    { bytes: 'plain' },
  );
}

/** As notifications tell it: under the name alone. */
async function named(sowing: Sowing): Promise<void> {
  const name = sowing.word('contacts.push_name');
  const [row] = await sowing.sql(`SELECT nextval('message_ids') AS id`);
  const place = {
    chat_id: sowing.group,
    message_id: `n-${randomUUID()}`,
    id: Number(row?.id),
    sent_at: sowing.at,
  };
  await sowing.put('message_keys', { ...place, sender: `name:${name}` });
  const { chat_id, id: message, sent_at: at } = place;
  await sowing.put('notifications', { chat_id, message, at, sender_name: name });
  await sowing.put('messages', {
    ...place,
    from_me: false,
    kind: 'conversation',
    body: sowing.word('messages.body'),
    sender_name: name,
    source: 'notification',
  });
}

export async function document(
  sowing: Sowing,
  kind: string,
  source: string,
  chat: ChatId,
): Promise<void> {
  const terms = `'${sowing.word('search_documents.terms')}'`;
  const [row] = await sowing.sql(
    `INSERT INTO search_documents (account_id, source_kind, source_id, chat_id, at, terms, length)
     VALUES ($1, $2, $3, $4, $5, $6::tsvector, 1) RETURNING id`,
    [sowing.account, kind, source, chat, sowing.at, terms],
  );
  await sowing.sow(
    'search_vectors',
    { document_id: row?.id, provider: 'p', model: 'm', dims: 1 },
    { bytes: 'vector sketch' },
  );
}
