// AC-7: the owner's views for people and programs: all conversations, one conversation, the transcript, and the daemon
// itself.
import type { ConversationInstance, TranscriptLine } from '@relay/contract/api/instances';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, ME, openAcceptanceHarness } from './harness.ts';
import { ask, end, FIRST, mark, send } from './script.ts';

let harness: AcceptanceHarness;
/** A conversation in each of these states. */
const ids: Record<string, string> = {};
beforeAll(async () => {
  harness = await openAcceptanceHarness();
  const lioba = await harness.person('Lioba');
  lioba.meets(FIRST, mark('1', 'completed'), send('What does it cost?'));
  ids.WAITING_FOR_REPLY = await harness.begin(lioba, {
    todos: [{ text: 'Ask for the price' }, { text: 'Agree on a day' }],
    heartbeat_config: { interval_ms: 45 * 60_000, max_followups: 4 },
  });
  ids.QUEUED = await harness.begin(lioba);
  const marzellus = await harness.person('Marzellus');
  marzellus.meets(FIRST, ask('The price is too high. Shall I go on?'));
  ids.NEEDS_HUMAN_INTERVENTION = await harness.begin(marzellus);
  const notburga = await harness.person('Notburga');
  notburga.meets(FIRST, send('Just to say hello.'), end('Hello was said.'));
  ids.COMPLETED = await harness.begin(notburga);
  const oktavian = await harness.person('Oktavian');
  oktavian.meets(FIRST, send('Hello'));
  ids.PAUSED = await harness.begin(oktavian);
  await oktavian.reads('Hello');
  await harness.change(ids.PAUSED, 'pause');
  for (const [state, id] of Object.entries(ids)) await harness.reaches(id, state as never);
  await lioba.reads('What does it cost?');
  await harness.api.ok('POST', `/api/instances/${ids.WAITING_FOR_REPLY}/send`, {
    message: 'It is me, Olga.',
  });
  await lioba.reads('It is me, Olga.');
  await lioba.writes('Eighty “euros”, <b>net</b> 🙂');
});
afterAll(() => harness.end());

it('relay list shows all conversations with their state', async () => {
  verifies('AC-7.1', '003-CLI-LIST');
  const shown = (await harness.says('list')).split('\n');
  const listed = await harness.gives<ConversationInstance[]>('list');
  expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(Object.values(ids)));
  for (const [state, id] of Object.entries(ids)) {
    if (state === 'WAITING_FOR_REPLY') continue;
    expect(listed.find((one) => one.id === id)).toEqual(await harness.get(id));
    expect(
      shown.filter((line) => line.includes(id.slice(0, 8)) && line.includes(state)),
    ).toHaveLength(1);
  }
  expect(await harness.gives('list', '--state', 'PAUSED')).toMatchObject([{ id: ids.PAUSED }]);
});

it('relay get shows one conversation completely', async () => {
  verifies('AC-7.2', '003-CLI-GET', '003-DATA-INSTANCE');
  const id = ids.NEEDS_HUMAN_INTERVENTION ?? '';
  expect(await harness.gives('get', id)).toMatchObject({
    id,
    objective: 'Agree with Marzellus on a day for the visit',
    todos: [],
    state: 'NEEDS_HUMAN_INTERVENTION',
    previous_state: null,
    heartbeat_config: { interval_ms: 86_400_000, max_followups: 3 },
    follow_up_count: 0,
    failure_reason: null,
    reason: expect.stringContaining('The price is too high.'),
  });
  const shown = await harness.says('get', ids.WAITING_FOR_REPLY ?? '');
  for (const part of [
    'Agree with Lioba on a day for the visit',
    'Ask for the price',
    'Agree on a day',
    '1 of 2 done',
    '45 min',
    'up to 4',
    ids.WAITING_FOR_REPLY,
  ])
    expect(shown).toContain(part);
  expect(shown).toMatch(/ACTIVE|WAITING_FOR_REPLY|WAITING_FOR_AGENT|NEEDS_HUMAN_INTERVENTION/);
});

it('relay transcript shows who said what and when, verbatim', async () => {
  verifies('AC-7.3', '003-CLI-TRANSCRIPT', '003-DATA-CONTENT', '003-DATA-MESSAGE');
  const id = ids.WAITING_FOR_REPLY ?? '';
  const said = [
    ['agent', 'What does it cost?'],
    ['manual', 'It is me, Olga.'],
    ['contact', 'Eighty “euros”, <b>net</b> 🙂'],
  ];
  await expect
    .poll(async () =>
      (await harness.transcript(id)).slice(0, 3).map(({ role, content }) => [role, content]),
    )
    .toEqual(said);
  const lines = await harness.gives<TranscriptLine[]>('transcript', id);
  for (const { instance_id, timestamp } of lines) {
    expect(instance_id).toBe(id);
    expect(new Date(timestamp).toISOString()).toBe(timestamp);
  }
  const shown = (await harness.says('transcript', id)).split('\n');
  for (const [who, text] of [
    ['agent', 'What does it cost?'],
    ['you', 'It is me, Olga.'],
    ['contact', 'Eighty “euros”, <b>net</b> 🙂'],
  ] as const) {
    const line = shown.find((one) => one.includes(text)) ?? '';
    expect(line).toMatch(new RegExp(`\\d\\d:\\d\\d.*${who} `));
  }
});

it('relay status shows PID, uptime, WhatsApp and the number of active conversations', async () => {
  verifies('AC-7.4', 'AC-7.5', '003-CLI-STATUS');
  const { pid } = harness.relay;
  const status = await harness.gives<Record<string, unknown>>('status');
  expect(status).toMatchObject({
    pid,
    uptime_seconds: expect.any(Number),
    whatsapp_connected: true,
    active_instance_count: 3,
    total_instance_count: 5,
    whatsapp: { phone_number: ME },
  });
  const shown = await harness.says('status');
  expect(shown).toMatch(new RegExp(`PID +${pid}$`, 'm'));
  expect(shown).toMatch(/Uptime +\d+/);
  expect(shown).toMatch(/WhatsApp +Connected to WhatsApp/);
  expect(shown).toMatch(/Conversations +3 active/);
  expect(shown).toMatch(/Sending +Active/);
});
