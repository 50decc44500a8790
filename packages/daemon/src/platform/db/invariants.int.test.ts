import { randomUUID } from 'node:crypto';
import { INSTANCE_STATES } from '@relay/contract/conversation/states';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, describe, expect, test } from 'vitest';

// What the database itself enforces, whatever the code does.

const { account, sql } = await freshStore();

let contact: string;
let chat: string;

beforeEach(async () => {
  contact = randomUUID();
  chat = randomUUID();
  await sql('INSERT INTO contacts (account_id, id) VALUES ($1, $2)', [account, contact]);
  await sql("INSERT INTO chats (account_id, id, kind, contact_id) VALUES ($1, $2, 'direct', $3)", [
    account,
    chat,
    contact,
  ]);
});

async function addInstance(state: string, more: Record<string, unknown> = {}) {
  const row = {
    account_id: account,
    id: randomUUID(),
    contact_id: contact,
    chat_id: chat,
    target_contact: '+49151',
    objective: 'x',
    state,
    interval_ms: 1000,
    max_followups: 5,
    ...more,
  };
  const columns = Object.keys(row);
  await sql(
    `INSERT INTO instances (${columns.join(', ')}) VALUES (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
    Object.values(row),
  );
  return row.id;
}

async function addPermit(outcome = 'allow') {
  const permit = randomUUID();
  await sql("SELECT ledger_add($1, 'owner', 'send', 'chat', 'x', $2, 'owner', '{}')", [
    account,
    outcome,
  ]);
  await sql(
    `INSERT INTO permits (account_id, id, ledger_seq, actor, intent, chat_id, content_hash)
    SELECT $1, $2, max(seq), 'owner', 'send_message', $3, '' FROM ledger WHERE account_id = $1`,
    [account, permit, chat],
  );
  return permit;
}

const addOutbox = (permit: string | null, message: string = randomUUID()) =>
  sql(
    `INSERT INTO outbox (account_id, id, permit_id, chat_id, message_id, body)
    VALUES ($1, gen_random_uuid(), $2, $3, $4, 'hello')`,
    [account, permit, chat, message],
  );

describe('permits and the outbox', () => {
  test('a message without a permit is refused', async () => {
    await expect(addOutbox(null)).rejects.toThrow('permit_id');
    await expect(addOutbox(randomUUID())).rejects.toThrow('foreign key');
  });

  test('a permit of another account is refused', async () => {
    const permit = await addPermit();
    const [other] = await sql<{ id: number }>(
      "INSERT INTO accounts (label) VALUES ('other') RETURNING id",
    );
    await sql(
      "INSERT INTO chats (account_id, id, kind, group_address) VALUES ($1, $2, 'group', '1@g.us')",
      [other?.id, chat],
    );
    const theirs = sql(
      `INSERT INTO outbox (account_id, id, permit_id, chat_id, message_id, body)
      VALUES ($1, gen_random_uuid(), $2, $3, 'M0', 'hello')`,
      [other?.id, permit, chat],
    );
    await expect(theirs).rejects.toThrow('outbox_to_the_chat_permitted');
  });

  test('a permit without a ledger row for its reason is refused', async () => {
    const permit = sql(
      `INSERT INTO permits (account_id, id, ledger_seq, actor, intent, chat_id, content_hash)
      VALUES ($1, gen_random_uuid(), 999999, 'owner', 'send_message', $2, '')`,
      [account, chat],
    );
    await expect(permit).rejects.toThrow('foreign key');
  });

  test('a permit that refers to a refusal is refused, and the outcome it refers to cannot be chosen', async () => {
    verifies('TRUST-PERMIT-KEYS');
    await expect(addPermit('deny')).rejects.toThrow('permits_for_what_was_allowed');
    await expect(addPermit('needs_approval')).rejects.toThrow('permits_for_what_was_allowed');
    await addPermit();
    await expect(sql("UPDATE permits SET outcome = 'deny'")).rejects.toThrow('check constraint');
  });

  test('a permit is valid for its own chat only', async () => {
    verifies('TRUST-PERMIT-KEYS');
    const permit = await addPermit();
    const [other] = await sql<{ id: string }>(
      "INSERT INTO chats (account_id, kind, group_address) VALUES ($1, 'group', $2) RETURNING id",
      [account, `${randomUUID()}@g.us`],
    );
    await addOutbox(permit, 'M2');
    const moved = sql("UPDATE outbox SET chat_id = $1 WHERE message_id = 'M2'", [other?.id]);
    await expect(moved).rejects.toThrow('outbox_to_the_chat_permitted');
  });

  test('a permit is valid for one message, and a message id is used once', async () => {
    const permit = await addPermit();
    await addOutbox(permit, 'M1');
    await expect(addOutbox(permit)).rejects.toThrow('outbox_one_per_permit');
    await expect(addOutbox(await addPermit(), 'M1')).rejects.toThrow('outbox_one_per_message');
  });

  test('the ledger row of a permit cannot be deleted', async () => {
    await addPermit();
    await expect(sql('DELETE FROM ledger')).rejects.toThrow('foreign key');
  });
});

describe('conversations', () => {
  const FREE = ['QUEUED', 'COMPLETED', 'ABANDONED', 'FAILED'];

  test('at most one instance holds a contact, and any number may be queued or ended', async () => {
    verifies('003-INV-ONE-ACTIVE');
    const paused = { previous_state: 'ACTIVE' };
    await addInstance('ACTIVE');
    for (const state of INSTANCE_STATES) {
      const adding = addInstance(state, state === 'PAUSED' ? paused : {});
      if (FREE.includes(state)) await adding;
      else await expect(adding).rejects.toThrow('instances_one_per_contact');
    }
    await addInstance('PAUSED', { previous_state: 'QUEUED' });
  });

  test('an instance is paused exactly if it has a previous state', async () => {
    verifies('003-INV-PAUSED');
    await expect(addInstance('PAUSED')).rejects.toThrow('check constraint');
    await expect(addInstance('ACTIVE', { previous_state: 'CREATED' })).rejects.toThrow(
      'check constraint',
    );
  });

  test('the number of follow-ups is limited, and an unknown state is refused', async () => {
    verifies('003-INV-FOLLOW-UPS');
    await expect(addInstance('ACTIVE', { follow_up_count: 7 })).rejects.toThrow('check constraint');
    await expect(addInstance('THINKING')).rejects.toThrow('check constraint');
    await addInstance('ACTIVE', { follow_up_count: 6 });
  });

  test('a result is stored exactly if it is valid, and no conversation ends without its status', async () => {
    verifies('CONV-RESULT-ONCE');
    const result_schema = '{}';
    for (const given of [
      { result_status: 'pending' },
      { result: '{}' },
      { result_schema },
      { result_schema, result_status: 'pending' },
      { result_schema, result_status: 'valid' },
      { result_schema, result_status: 'invalid', result: '{}' },
      { result_schema, result_status: 'good', result: '{}' },
    ]) {
      await expect(addInstance('COMPLETED', given)).rejects.toThrow('check constraint');
    }
    await addInstance('COMPLETED', { result_schema, result_status: 'valid', result: '{}' });
    await addInstance('COMPLETED', { result_schema, result_status: 'missing' });
  });

  test('a line of the transcript cannot be changed', async () => {
    const id = await addInstance('ACTIVE');
    await sql(
      "INSERT INTO instance_messages (account_id, instance_id, role, content) VALUES ($1, $2, 'agent', 'hi')",
      [account, id],
    );
    await expect(sql("UPDATE instance_messages SET content = 'bye'")).rejects.toThrow(
      'instance_messages is append-only',
    );
  });
});

describe('people', () => {
  test('a contact has one direct chat and one grant, and an address has one contact', async () => {
    const second = sql(
      "INSERT INTO chats (account_id, kind, contact_id) VALUES ($1, 'direct', $2)",
      [account, contact],
    );
    await expect(second).rejects.toThrow('chats_one_per_contact');
    const grant = () =>
      sql("INSERT INTO grants (account_id, contact_id, display_name) VALUES ($1, $2, 'x')", [
        account,
        contact,
      ]);
    await grant();
    await expect(grant()).rejects.toThrow('grants_one_per_contact');
  });

  test('a grant allows nothing by default', async () => {
    const [row] = await sql(
      `INSERT INTO grants (account_id, contact_id, display_name) VALUES ($1, $2, 'x')
      RETURNING can_read, can_reply, can_initiate`,
      [account, contact],
    );
    expect(row).toEqual({ can_read: false, can_reply: false, can_initiate: false });
  });
});
