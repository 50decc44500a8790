import { randomUUID } from 'node:crypto';
import { chatId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import { freshStore } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { loadChatFacts } from './load-facts.ts';

const pacing = pacingSchema.parse({});
const { account, database, sql } = await freshStore();

const know = (chat: string) =>
  database.kysely
    .transaction()
    .execute((tx) => loadChatFacts(tx, account, chatId(chat), null, { pacing }));

test('uses only the contact’s grant in a direct chat, whatever grant the chat itself has', async () => {
  const [contact, chat] = [randomUUID(), randomUUID()];
  await sql('INSERT INTO contacts (account_id, id) VALUES ($1, $2)', [account, contact]);
  await sql("INSERT INTO chats (account_id, id, kind, contact_id) VALUES ($1, $2, 'direct', $3)", [
    account,
    chat,
    contact,
  ]);
  const grant = 'INSERT INTO grants (account_id, contact_id, chat_id, display_name, can_reply)';
  await sql(`${grant} VALUES ($1, NULL, $2, 'chat', true)`, [account, chat]);
  expect((await know(chat)).facts).toMatchObject({ contactGrant: null, groupGrant: null });
  await sql(`${grant} VALUES ($1, $2, NULL, 'contact', false)`, [account, contact]);
  expect((await know(chat)).facts).toMatchObject({
    contactGrant: { canReply: false },
    groupGrant: null,
  });
});

test('recognizes the chat with the account’s own number or LID as the owner’s chat', async () => {
  await sql("UPDATE accounts SET phone = '4915100', lid = '777' WHERE id = $1", [account]);
  const kindOf = async (kind: string, value: string) => {
    const [contact, chat] = [randomUUID(), randomUUID()];
    await sql('INSERT INTO contacts (account_id, id) VALUES ($1, $2)', [account, contact]);
    await sql(
      'INSERT INTO contact_aliases (account_id, kind, value, contact_id) VALUES ($1, $2, $3, $4)',
      [account, kind, value, contact],
    );
    await sql(
      "INSERT INTO chats (account_id, id, kind, contact_id) VALUES ($1, $2, 'direct', $3)",
      [account, chat, contact],
    );
    return (await know(chat)).facts.chat?.kind;
  };
  expect(await kindOf('phone', '4915100')).toBe('own');
  expect(await kindOf('lid', '777')).toBe('own');
  expect(await kindOf('phone', '777')).toBe('direct');
  expect(await kindOf('lid', '4915100')).toBe('direct');
});

test('loads facts that permit nothing for an unknown chat', async () => {
  expect(await know(randomUUID())).toMatchObject({
    firstContact: true,
    facts: { chat: null, contactGrant: null, groupGrant: null },
  });
});
