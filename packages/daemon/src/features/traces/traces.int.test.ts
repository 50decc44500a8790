// Tests the trace export with a real database and a collector that accepts only OTLP. Whatever the collector does, each
// turn and each message is sent once, and each problem is logged once.
import { randomUUID } from 'node:crypto';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { eventually, sleep } from '@relay/testing/store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sendAsOwner } from '../../pipeline/gate/send-as-owner.ts';
import { startTraces } from './feature.ts';
import { advanceTracing } from './finished-work.ts';
import { answering, type CollectorSeen, openCollector, wordsIn } from './testing/collector.ts';

const harness = await freshDaemonHarness();
const { sql, account, conversations, logged } = harness;
const { db, lease, gate, log } = conversations;

let collector: CollectorSeen;
let stop = async () => {};
async function follow(endpoint: string | null = collector.url, headers: string | null = null) {
  await stop();
  const settings = { endpoint, headers };
  stop = await startTraces({ db, lease, log, version: '1.2.3', settings, pollMs: 50 });
}
beforeEach(async () => {
  collector = await openCollector();
  logged.length = 0;
});
afterEach(async () => {
  await stop();
  stop = async () => {};
  expect(collector.faults).toEqual([]);
  await collector.close();
  await sql('UPDATE outbox SET state = $1, sent_at = now()', ['read']);
  await sql('UPDATE trace_progress SET since = NULL');
});

/** A message of the owner, submitted to the gate. */
async function send(): Promise<string> {
  const message = { to: newPhone(), text: 'the canary sings' };
  return (await sendAsOwner({ db, lease, gate }, message as never)).id;
}
const leaves = (id: string) =>
  sql(
    `UPDATE outbox SET state = 'delivered', attempts = 1, attempted_at = now(), sent_at = now(), delivered_at = now()
    WHERE id = $1`,
    [id],
  );

/** A finished turn, with its own message if one is given. */
async function turn(message: string | null = null, more = "ended_at = now(), state = 'done'") {
  const id = randomUUID();
  await sql(
    `INSERT INTO runs (account_id, id, actor, state, provider, model) VALUES ($1, $2, 'assistant', 'running', 'vllm', 'qwen')`,
    [account, id],
  );
  if (message !== null) {
    await sql(
      `UPDATE permits SET run_id = $1 WHERE id = (SELECT permit_id FROM outbox WHERE id = $2)`,
      [id, message],
    );
    await sql('UPDATE outbox SET created_at = now() WHERE id = $1', [message]);
  }
  await sql(`UPDATE runs SET ${more} WHERE id = $1`, [id]);
  return id;
}
const dashless = (id: string) => id.replaceAll('-', '');
const names = (id: string) => (collector.traces().get(dashless(id)) ?? []).map(({ name }) => name);
const arrives = (id: string) => eventually(() => names(id).length > 0);
const said = () => logged.map(({ message }) => message).filter((one) => /trace|span/.test(one));
/** Long enough for a few polls. */
const whileItLooks = () => sleep(400);

test('sends a message of the owner once as a trace of its own, with the configured headers', async () => {
  await follow(collector.url, 'authorization=Bearer%20abc');
  const id = await send();
  await whileItLooks();
  expect(collector.bytes).toEqual([]);
  await leaves(id);
  await arrives(id);
  expect(names(id)).toEqual(['relay.message', 'relay.gate', 'relay.deliver']);
  await follow();
  await whileItLooks();
  expect(collector.bytes).toHaveLength(1);
  expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer abc' });
  const [resource] = collector.resources;
  expect(resource).toMatchObject({ 'service.name': 'relay', 'service.version': '1.2.3' });
  expect(collector.bytes.join()).not.toContain('canary');
  const [root] = collector.spans;
  expect(root && wordsIn(root)).toMatchObject({ 'relay.actor': 'owner', 'relay.outbox.id': id });
});

test('sends everything when an unreachable collector is back, and logs both once', async () => {
  const { port } = collector;
  await collector.close();
  await follow();
  const first = await send();
  await leaves(first);
  await eventually(() => said().includes('trace export failed; retrying'));
  collector = await openCollector(port);
  collector.answer = answering(503, {}, { 'retry-after': '1' });
  await eventually(() => collector.bytes.length > 0);
  collector.answer = answering(200);
  const second = await turn();
  await vi.waitFor(
    () => expect([names(first), names(second)].map((one) => one.length)).toEqual([3, 2]),
    {
      timeout: 40_000,
    },
  );
  await eventually(() => said().length > 1);
  expect(said()).toEqual(['trace export failed; retrying', 'trace export works again']);
}, 90_000);

test.each([400, 401, 404, 500])(
  'does not send again what is answered with %i, and logs it once',
  async (status) => {
    collector.answer = answering(status);
    await follow();
    await turn();
    await eventually(() => collector.bytes.length === 1);
    await turn();
    await eventually(() => collector.bytes.length === 2);
    await whileItLooks();
    expect(collector.bytes).toHaveLength(2);
    expect(said()).toEqual(['traces refused']);
    expect(logged.find(({ message }) => message === 'traces refused')?.fields).toMatchObject({
      reason: `the collector answered ${status}`,
    });
  },
);

test('logs a partial rejection, and does not send it again', async () => {
  const partialSuccess = { rejectedSpans: '2', errorMessage: 'too many' };
  collector.answer = answering(200, { partialSuccess });
  await follow();
  await turn();
  await eventually(() => said().includes('spans refused'));
  await whileItLooks();
  expect(collector.bytes).toHaveLength(1);
  expect(logged.at(-1)?.fields).toEqual({ reason: 'too many', count: 2 });
});

test('waits a minute for a turn’s message, then sends the turn, and adds the message when it is sent', async () => {
  await follow();
  const message = await send();
  const id = await turn(message);
  await whileItLooks();
  expect(collector.bytes).toEqual([]);
  await sql("UPDATE runs SET ended_at = now() - interval '61 seconds' WHERE id = $1", [id]);
  await arrives(id);
  expect(names(id)).toEqual(['relay.turn', 'invoke_agent assistant']);
  await leaves(message);
  await eventually(() => names(id).length === 4);
  expect(names(id).slice(2)).toEqual(['relay.gate', 'relay.deliver']);
  expect(names(message)).toEqual([]);
});

test('deletes old progress without sending twice, and gives up work older than a day', async () => {
  await follow();
  const told = await turn();
  await arrives(told);
  await stop();
  const aged = (id: string, age: string) =>
    sql(
      `UPDATE runs SET started_at = now() - $2::interval, ended_at = now() - $2::interval WHERE id = $1`,
      [id, age],
    );
  const [waiting, old] = [await turn(), await turn()];
  await aged(waiting, '20 hours');
  await aged(old, '25 hours');
  await sql("UPDATE trace_progress SET since = now() - interval '30 hours'");
  await db.transaction().execute((tx) => advanceTracing(tx, account));
  const at = async () =>
    (
      await sql<{ hours: number }>(
        'SELECT extract(epoch FROM now() - since)::float8 / 3600 AS hours FROM trace_progress',
      )
    )[0]?.hours ?? 0;
  expect(await at()).toBeCloseTo(24, 1);
  await follow();
  await arrives(waiting);
  await whileItLooks();
  expect([names(waiting), names(told), names(old)].map(({ length }) => length)).toEqual([2, 2, 0]);
  await stop();
  await sql("UPDATE runs SET started_at = started_at - interval '1 hour' WHERE id = $1", [told]);
  await sql("UPDATE traced SET at = at - interval '1 hour' WHERE id = $1", [told]);
  await db.transaction().execute((tx) => advanceTracing(tx, account));
  expect(await at()).toBeCloseTo(1 / 6, 2);
  expect(await sql('SELECT 1 FROM traced WHERE id = ANY($1)', [[told, waiting]])).toEqual([]);
  await follow();
  await whileItLooks();
  expect(names(told)).toHaveLength(2);
});

test('does nothing without an endpoint, and never sends what happened meanwhile', async () => {
  await follow(null);
  const meanwhile = await turn();
  await whileItLooks();
  expect(collector.connections()).toBe(0);
  expect(await sql('SELECT 1 FROM trace_progress WHERE since IS NOT NULL')).toEqual([]);
  await follow();
  const after = await turn();
  await arrives(after);
  await follow(null);
  expect(await sql('SELECT 1 FROM traced')).toEqual([]);
  const off = await turn();
  await follow();
  const again = await turn();
  await arrives(again);
  expect([names(meanwhile), names(off)]).toEqual([[], []]);
  const instances = new Set(collector.resources.map((one) => one['service.instance.id']));
  expect(instances.size).toBe(1);
});
