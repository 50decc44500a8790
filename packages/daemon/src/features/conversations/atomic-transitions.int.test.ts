import type { InstanceId } from '@relay/contract/ids';
import { freshDaemonHarness, heldTurn } from '@relay/testing/daemon-harness';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, onTestFinished, test } from 'vitest';

const harness = await freshDaemonHarness();
const { agent, create, lines, reaches, reply, sql, state, steps, service } = harness;

beforeEach(() => agent(() => ({ messages: ['Hello'] })));

/** Every table that the last transition of a conversation wrote to, with its transaction id. */
const written = (id: InstanceId) =>
  sql<{ place: string; by: string }>(
    `SELECT 'state' AS place, xmin::text AS by FROM instances WHERE id = $1::uuid
     UNION ALL (SELECT 'log', xmin::text FROM instance_transitions WHERE instance_id = $1::uuid ORDER BY id DESC LIMIT 1)
     UNION ALL (SELECT 'transcript', xmin::text FROM instance_messages WHERE instance_id = $1::uuid ORDER BY id DESC LIMIT 1)
     UNION ALL SELECT 'permit', xmin::text FROM permits WHERE instance_id = $1::uuid
     UNION ALL SELECT 'outbox', xmin::text FROM outbox WHERE instance_id = $1::uuid
     UNION ALL SELECT 'decision', xmin::text FROM ledger WHERE actor = 'conversation:' || $1::text AND action = 'send_message'
     UNION ALL SELECT 'run', xmin::text FROM runs WHERE instance_id = $1::uuid
     UNION ALL SELECT 'call', c.xmin::text FROM tool_calls c JOIN runs r ON r.id = c.run_id WHERE r.instance_id = $1::uuid
     UNION ALL SELECT 'job', by FROM finished_jobs WHERE subject = $1::text`,
    [id],
  );

/** Notes the transaction that deletes a finished job. */
async function noteFinishedJobs() {
  await sql('CREATE TABLE finished_jobs (subject text, by text)');
  await sql(`CREATE FUNCTION note_finished() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO relay.finished_jobs VALUES (OLD.data->>'subject', pg_current_xact_id()::xid::text); RETURN NULL; END $$`);
  await sql(`CREATE TRIGGER note_finished AFTER DELETE ON relay_jobs.job
    FOR EACH ROW EXECUTE FUNCTION note_finished()`);
  onTestFinished(async () => {
    await sql('DROP FUNCTION note_finished CASCADE');
    await sql('DROP TABLE finished_jobs');
  });
}

const openTransactions = async () =>
  (
    await sql(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
       AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND state LIKE 'idle in transaction%'`,
    )
  ).length;

test('writes a transition in one transaction, and holds none open during the model call', async () => {
  verifies('003-OPEN-ONE-TRANSACTION');
  await noteFinishedJobs();
  const turn = heldTurn({
    messages: ['Hello'],
    calls: [{ id: 'a', name: 'send_message', arguments: {}, result: 'ok' }],
  });
  agent(turn.act);
  // The acknowledgement is a separate transaction.
  await harness.acknowledges(false);
  onTestFinished(() => harness.acknowledges(true));
  const id = await create();
  await turn.begun;
  await eventually(async () => (await openTransactions()) === 0);
  turn.release();
  await reaches(id, 'WAITING_FOR_REPLY');
  const rows = await written(id);
  expect(rows.map(({ place }) => place).toSorted()).toEqual([
    'call',
    'decision',
    'job',
    'log',
    'outbox',
    'permit',
    'run',
    'state',
    'transcript',
  ]);
  expect(new Set(rows.map(({ by }) => by)).size).toBe(1);
});

test.each(['instance_transitions', 'instance_messages', 'outbox', 'events', 'ledger'])(
  'rolls back the whole transition when a write to %s fails, and retries it',
  async (table) => {
    verifies('003-ERR-STORAGE');
    const turn = heldTurn();
    agent(turn.act);
    const id = await create();
    await turn.begun;
    await sql(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END $$`);
    await sql(
      `CREATE TRIGGER disk_full BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION disk_full()`,
    );
    turn.release();
    await eventually(async () => {
      const [job] = await sql(
        "SELECT 1 FROM relay_jobs.job WHERE data->>'subject' = $1 AND state = 'retry'",
        [id],
      );
      return job !== undefined;
    });
    expect(await state(id)).toBe('ACTIVE');
    expect([await lines(id), await steps(id)]).toEqual([[], ['CREATED → ACTIVE']]);
    expect(await sql('SELECT 1 FROM outbox WHERE instance_id = $1', [id])).toEqual([]);
    await sql(`DROP TRIGGER disk_full ON ${table}`);
    await sql('DROP FUNCTION disk_full');
    await harness.quiet();
    expect(await state(id)).toBe('WAITING_FOR_REPLY');
    expect(await lines(id)).toEqual(['agent: Next']);
  },
);

test('retries an acknowledgement that could not start the follow-up clock', async () => {
  verifies('CONV-FOLLOW-UP-ACKNOWLEDGED');
  await sql(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END $$`);
  await sql(
    'CREATE TRIGGER disk_full BEFORE INSERT ON timers FOR EACH ROW EXECUTE FUNCTION disk_full()',
  );
  const id = await create();
  await eventually(async () => {
    const [job] = await sql(
      `SELECT 1 FROM relay_jobs.job WHERE data->>'subject' = $1 AND state = 'retry'
         AND data->>'wake' = 'acknowledged'`,
      [id],
    );
    return job !== undefined;
  });
  expect(await service.get(id)).toMatchObject({
    state: 'WAITING_FOR_REPLY',
    next_follow_up_at: null,
  });
  await sql('DROP TRIGGER disk_full ON timers');
  await sql('DROP FUNCTION disk_full');
  await harness.quiet();
  expect((await service.get(id)).next_follow_up_at).not.toBeNull();
});

test('notifies outbox, jobs and turns only after the transition is committed', async () => {
  verifies('003-INV-PERSIST-FIRST');
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  const seen: unknown[] = [];
  const { gate, jobs, running } = harness.conversations;
  const original = { gate: gate.wakeOutbox, jobs: jobs.wake, running: running.overtake };
  // Each reads from outside the transaction at the moment it is notified.
  const looking = (what: string) => () => {
    seen.push(state(id).then((now) => [what, now]));
  };
  gate.wakeOutbox = looking('outbox');
  jobs.wake = looking('jobs');
  running.overtake = looking('turns');
  agent(() => ({ messages: ['Answer'] }));
  await reply(id, 'Yes');
  await service.send(id, 'Mine');
  Object.assign(gate, { wakeOutbox: original.gate });
  Object.assign(jobs, { wake: original.jobs });
  Object.assign(running, { overtake: original.running });
  const reports = (await Promise.all(seen)) as [string, string][];
  expect(new Set(reports.map(([what]) => what))).toEqual(new Set(['outbox', 'jobs', 'turns']));
  for (const [, now] of reports) expect(now).not.toBe('WAITING_FOR_REPLY');
  await harness.quiet();
});

test('never changes or deletes a transcript line, except when the whole contact is deleted', async () => {
  verifies('003-INV-TRANSCRIPT');
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  for (const change of [
    "UPDATE instance_messages SET content = 'x' WHERE instance_id = $1",
    'DELETE FROM instance_messages WHERE instance_id = $1',
  ]) {
    await expect(sql(change, [id])).rejects.toMatchObject({ code: '23001' });
  }
  expect(await lines(id)).toEqual(['agent: Hello']);
  await service.cancel(id);
  await sql('DELETE FROM contacts WHERE id = (SELECT contact_id FROM instances WHERE id = $1)', [
    id,
  ]);
  expect(await sql('SELECT 1 FROM instance_messages WHERE instance_id = $1', [id])).toEqual([]);
});
