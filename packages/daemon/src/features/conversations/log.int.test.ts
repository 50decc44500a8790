import type { OutboxId } from '@relay/contract/ids';
import { type LogFields, silentLog } from '@relay/core/log';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { wakeConversations } from '../../pipeline/outbox/delivery-updates.ts';
import { hintTimerClock } from '../../platform/jobs/timers.ts';
import { createConversationService } from './service.ts';

const harness = await freshDaemonHarness();

function listening() {
  const lines: [level: string, message: string, fields: LogFields][] = [];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      lines.push([level, message, fields]);
    };
  const log = { ...silentLog, info: at('info'), warn: at('warn') };
  return { lines, service: createConversationService({ ...harness.conversations, log }) };
}

test('logs a committed transition with both states and its event', async () => {
  const id = await harness.create();
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  const { lines, service } = listening();
  await service.pause(id);
  expect(lines).toEqual([
    [
      'info',
      'transition',
      { instance: id, from: 'WAITING_FOR_REPLY', to: 'PAUSED', event: 'pause' },
    ],
  ]);
});

test('logs a refused transition with state, event and instance', async () => {
  verifies('AC-4.2');
  const id = await harness.create();
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  const { lines, service } = listening();
  await expect(service.resume(id)).rejects.toMatchObject({
    code: 'illegal_transition',
    status: 409,
  });
  expect(lines).toEqual([
    ['warn', 'transition refused', { instance: id, state: 'WAITING_FOR_REPLY', event: 'resume' }],
  ]);
  expect(await harness.state(id)).toBe('WAITING_FOR_REPLY');
  expect((await harness.steps(id)).length).toBe(2);
});

test('does not log a transition that was rolled back', async () => {
  const id = await harness.create();
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  const { lines, service } = listening();
  await harness.sql(`CREATE FUNCTION no_events() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'disk full'; END $$`);
  await harness.sql(
    `CREATE TRIGGER no_events BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION no_events()`,
  );
  await expect(service.pause(id)).rejects.toThrow('disk full');
  await harness.sql('DROP TRIGGER no_events ON events');
  expect(lines).toEqual([]);
  await eventually(async () => (await harness.state(id)) === 'WAITING_FOR_REPLY');
});

test('logs messages, tool calls and timers at debug level and a stale wake-up as a warning', async () => {
  verifies('003-BOUND-TIMER', '003-LOG-LEVELS');
  harness.logged.length = 0;
  const calls = [{ id: 'a', name: 'send_message', arguments: {}, result: 'ok' }];
  harness.agent(() => ({ messages: ['Hello'], calls }));
  const id = await harness.create();
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  await harness.reply(id, 'Yes');
  await harness.quiet();
  await harness.sql('UPDATE timers SET epoch = epoch - 1, due_at = now() WHERE subject_id = $1', [
    id,
  ]);
  hintTimerClock(harness.account);
  await eventually(() =>
    harness.logged.some(({ message }) => message === 'stale wake-up discarded'),
  );
  await harness.conversations.db
    .transaction()
    .execute((tx) => tx.updateTable('outbox').set({ state: 'failed', failure: 'Gone.' }).execute());
  const sent = await harness.sql<{ id: OutboxId }>('SELECT id FROM outbox WHERE instance_id = $1', [
    id,
  ]);
  const { onUndelivered } = wakeConversations(harness.jobs, harness.account);
  await harness.conversations.db.transaction().execute((tx) =>
    onUndelivered(
      tx,
      sent.map((message) => ({ id: message.id, instance: id })),
    ),
  );
  await harness.reaches(id, 'FAILED');
  await harness.quiet();

  const at = (level: string) =>
    new Set(harness.logged.filter((line) => line.level === level).map(({ message }) => message));
  expect(at('debug')).toEqual(
    new Set(['message received', 'message queued', 'tool call', 'timer set', 'timer cancelled']),
  );
  expect(at('info')).toEqual(new Set(['conversation created', 'transition']));
  expect(at('warn')).toEqual(new Set(['stale wake-up discarded']));
  expect(at('error')).toEqual(new Set(['conversation failed']));
  const spoken = harness.logged.filter(({ fields }) => /Hello|Yes/.test(JSON.stringify(fields)));
  expect(new Set(spoken.map(({ level }) => level))).toEqual(new Set(['debug']));
});
