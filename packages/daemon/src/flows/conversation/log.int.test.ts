import type { LogFields } from '@relay/core/log';
import { silentLog } from '@relay/core/log';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { freshWorld } from '@relay/testing/world';
import { expect, test } from 'vitest';
import { conversationVerbs } from './verbs.ts';

const world = await freshWorld();

function listening() {
  const lines: [level: string, message: string, fields: LogFields][] = [];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      lines.push([level, message, fields]);
    };
  const log = { ...silentLog, info: at('info'), warn: at('warn') };
  return { lines, verbs: conversationVerbs({ ...world.conversations, log }) };
}

test('a transition is told once it has happened, with where from, where to and why', async () => {
  const id = await world.create();
  await world.reaches(id, 'WAITING_FOR_REPLY');
  const { lines, verbs } = listening();
  await verbs.pause(id);
  expect(lines).toEqual([
    [
      'info',
      'transition',
      { instance: id, from: 'WAITING_FOR_REPLY', to: 'PAUSED', event: 'pause' },
    ],
  ]);
});

test('a refused transition is told with the state, the event and the instance', async () => {
  verifies('AC-4.2');
  const id = await world.create();
  await world.reaches(id, 'WAITING_FOR_REPLY');
  const { lines, verbs } = listening();
  await expect(verbs.resume(id)).rejects.toMatchObject({ code: 'illegal_transition', status: 409 });
  expect(lines).toEqual([
    ['warn', 'transition refused', { instance: id, state: 'WAITING_FOR_REPLY', event: 'resume' }],
  ]);
  expect(await world.state(id)).toBe('WAITING_FOR_REPLY');
  expect((await world.steps(id)).length).toBe(2);
});

test('what was rolled back is not told', async () => {
  const id = await world.create();
  await world.reaches(id, 'WAITING_FOR_REPLY');
  const { lines, verbs } = listening();
  await world.sql(`CREATE FUNCTION no_events() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'disk full'; END $$`);
  await world.sql(
    `CREATE TRIGGER no_events BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION no_events()`,
  );
  await expect(verbs.pause(id)).rejects.toThrow('disk full');
  await world.sql('DROP TRIGGER no_events ON events');
  expect(lines).toEqual([]);
  await eventually(async () => (await world.state(id)) === 'WAITING_FOR_REPLY');
});
