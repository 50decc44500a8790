import {
  instanceCountsSchema,
  type ListedInstance,
  type ListInstancesQuery,
  listedInstanceSchema,
} from '@relay/contract/api/instances';
import { TURNS } from '@relay/contract/conversation/states';
import { instanceId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { insertConversations } from '@relay/testing/many-conversations';
import { freshStore } from '@relay/testing/store';
import { type KyselyPlugin, RawNode } from 'kysely';
import { expect, test } from 'vitest';
import { Gate } from '../../pipeline/gate/gate.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { countInstances, listInstances } from './list.ts';

const { agent, approvals, create, quiet, reaches, sql, service } = await freshDaemonHarness();
const idsOf = (listed: readonly ListedInstance[]) => listed.map(({ id }) => id);

test('lists a conversation with its contact and turn, and finds it by turn, state, contact and words', async () => {
  const phone = newPhone();
  const id = await create(phone);
  await reaches(id, 'WAITING_FOR_REPLY');
  const [one] = await service.list({ turn: 'them' });
  expect(listedInstanceSchema.parse(one)).toMatchObject({
    id,
    target_contact: phone,
    contact_name: null,
    turn: 'them',
    approval_id: null,
  });
  await sql("UPDATE contacts SET push_name = 'Zoë Müller' WHERE id = $1", [one?.contact_id]);
  expect((await service.get(id)).contact_name).toBe('Zoë Müller');
  for (const words of ['zoe', 'Zoë Müller', phone, 'QUOTE get']) {
    expect(idsOf(await service.list({ words }))).toEqual([id]);
  }
  for (const words of ['nobody', 'get %', 'Zoë quote'])
    expect(await service.list({ words })).toEqual([]);
  expect(idsOf(await service.list({ contact: one?.contact_id }))).toEqual([id]);
  await service.cancel(id);
  expect(await service.list({ turn: 'them' })).toEqual([]);
  expect(await service.list({ turn: 'ended', state: 'COMPLETED' })).toEqual([]);
  expect(idsOf(await service.list({ turn: 'ended', state: 'FAILED' }))).toEqual([id]);
});

test('lists a conversation with a pending approval as the owner’s turn until it is decided or the conversation ends', async () => {
  agent(() => ({ messages: ['The code of the alarm is 4711-0815-2342.'] }));
  const before = await service.counts();
  const id = await create();
  await quiet();
  await sql(
    `INSERT INTO approvals (account_id, intent, intent_hash, reason, requested_by, expires_at, instance_id)
     SELECT account_id, jsonb_build_object('kind', 'send_message', 'chat', chat_id, 'text', 'Hello'), 'hash',
       'confirm', 'conversation:' || id, now() + interval '1 hour', id FROM instances WHERE id = $1`,
    [id],
  );
  const [waiting] = await approvals.list('pending');
  const held = await service.get(id);
  expect(held).toMatchObject({ state: 'WAITING_FOR_REPLY', turn: 'you', approval_id: waiting?.id });
  expect(idsOf(await service.list({ turn: 'you' }))).toEqual([id]);
  expect(idsOf(await service.list({ turn: 'you', state: 'WAITING_FOR_REPLY' }))).toEqual([id]);
  expect(await service.list({ turn: 'them' })).toEqual([]);
  const counts = instanceCountsSchema.parse(await service.counts());
  expect(counts.holding_approval).toBe(1);
  expect(counts.by_turn.you).toBe(before.by_turn.you + 1);
  expect(counts.by_turn.them).toBe(before.by_turn.them);
  await service.cancel(id);
  expect(await service.get(id)).toMatchObject({ turn: 'ended', approval_id: null });
  expect((await service.counts()).holding_approval).toBe(0);
});

test('continues a page sorted by change even when its last row has changed', async () => {
  agent(() => ({ messages: ['Hello'] }));
  const made = [];
  for (let n = 0; n < 7; n += 1) made.push(await create());
  await quiet();
  const wanted = idsOf(await service.list({ turn: 'them', order: 'changed' }));
  expect([...wanted].sort()).toEqual([...made].sort());
  const first = await service.list({ turn: 'them', order: 'changed', limit: 3 });
  const last = first.at(-1);
  await service.pause(instanceId(last?.id ?? ''));
  await service.resume(instanceId(last?.id ?? ''));
  const next = await service.list({
    turn: 'them',
    order: 'changed',
    limit: 3,
    after: last?.id,
    changed_before: last?.updated_at,
  });
  expect(idsOf([...first, ...next])).toEqual(wanted.slice(0, 6));
  const all = await service.list({ order: 'changed', limit: 2 });
  expect(all[0]?.id).toBe(last?.id);
});

const MANY = 4_000;

/** Returns the query plans instead of the rows. */
const explained = (plans: string[]): KyselyPlugin => ({
  transformQuery: ({ node }) => RawNode.create(['EXPLAIN ', ''], [node]) as never,
  transformResult: async ({ result }) => {
    plans.push(result.rows.map((row) => Object.values(row)[0]).join('\n'));
    return { ...result, rows: [] };
  },
});

test('pages through every turn by its index with thousands of conversations', async () => {
  const store = await freshStore();
  const lease = { account: store.account } as Lease;
  await insertConversations(store.sql, store.account, MANY);
  const { account } = store;
  const gate = new Gate({ account, pacing: pacingSchema.parse({}), wakeOutbox: () => {} });
  const deps = { db: store.database.kysely, lease, gate };
  const { by_turn: counted } = await countInstances(deps);
  expect(Object.values(counted).reduce((a, b) => a + b)).toBe(MANY);
  for (const turn of TURNS) {
    const seen = new Set<string>();
    let page: readonly ListedInstance[] = [];
    do {
      const last = page.at(-1);
      const from: ListInstancesQuery | undefined = last && {
        after: last.id,
        changed_before: last.updated_at,
      };
      page = await listInstances(deps, { turn, order: 'changed', limit: 500, ...from });
      for (const one of page) seen.add(one.id);
      expect(page.every((one) => one.turn === turn)).toBe(true);
    } while (page.length === 500);
    expect([turn, seen.size]).toEqual([turn, counted[turn]]);
  }
  const plans: string[] = [];
  const explaining = { ...deps, db: deps.db.withPlugin(explained(plans)) };
  for (const turn of TURNS) await listInstances(explaining, { turn, order: 'changed', limit: 30 });
  await listInstances(explaining, { order: 'changed', limit: 30 });
  for (const plan of plans) {
    expect(plan).toContain('instances_by_change');
    expect(plan).not.toMatch(/Seq Scan on instances/);
  }
  expect(plans).toHaveLength(TURNS.length + 1);
});
