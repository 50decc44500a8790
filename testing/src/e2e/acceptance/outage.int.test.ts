// WhatsApp is offline while a conversation begins: no follow-up is sent for an unsent message, and exactly one message
// is sent after reconnecting.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sleep } from '../../store.ts';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';
import { end, FIRST, FOLLOW_UP, send } from './script.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());

const SECOND = 1_000;

it('a conversation created offline waits for the connection, sends one message and takes the reply', async () => {
  verifies('CONV-FOLLOW-UP-ACKNOWLEDGED', 'CONV-ONE-UNSENT');
  const ottilie = await harness.person('Ottilie');
  ottilie.meets(FIRST, send('Which day?'));
  ottilie.meets(FOLLOW_UP, send('Have you had time to look?'));
  ottilie.meets('The ninth', send('Thank you, the ninth it is.'), end('The ninth'));
  await harness.api.ok('POST', '/api/whatsapp/disconnect');

  const id = await harness.begin(ottilie, {
    heartbeat_config: { interval_ms: 8 * SECOND, max_followups: 1 },
  });
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  await sleep(25 * SECOND);
  expect(await harness.get(id)).toMatchObject({
    state: 'WAITING_FOR_REPLY',
    follow_up_count: 0,
    next_follow_up_at: null,
    reason: expect.stringContaining('not sent yet'),
  });

  await harness.api.ok('POST', '/api/whatsapp/connect');
  expect(await ottilie.reads('Which day?')).toEqual(['Which day?']);
  await ottilie.writes('The ninth');
  await harness.reaches(id, 'COMPLETED');
  expect(await ottilie.reads('Thank you, the ninth it is.')).toEqual([
    'Which day?',
    'Thank you, the ninth it is.',
  ]);
  expect(await harness.lines(id)).toEqual([
    'agent: Which day?',
    'contact: The ninth',
    'agent: Thank you, the ninth it is.',
  ]);
});

it('a message cancelled while it is queued is never sent, even one sent by the owner', async () => {
  verifies('CONV-WITHDRAWN');
  const pankraz = await harness.person('Pankraz');
  pankraz.meets(FIRST, send('Which day?'));
  await harness.api.ok('POST', '/api/whatsapp/disconnect');
  const id = await harness.begin(pankraz);
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  await harness.api.ok('POST', `/api/instances/${id}/send`, { message: 'It is me' });
  await harness.change(id, 'cancel');
  await harness.api.ok('POST', '/api/whatsapp/connect');
  const quirin = await harness.person('Quirin');
  quirin.meets(FIRST, send('Which week?'));
  await harness.begin(quirin);
  await quirin.reads('Which week?');
  expect(await pankraz.has()).toEqual([]);
  expect(await harness.lines(id)).toEqual([
    'agent: Which day?',
    'manual: It is me',
    'system: Not sent: The conversation ended before this message was sent, so it was withdrawn.',
    'system: Not sent: The conversation ended before this message was sent, so it was withdrawn.',
  ]);
});

it('a reply after the end asks the owner, and the agent answers once they resume it', async () => {
  verifies('CONV-LATE-REPLY');
  const roswitha = await harness.person('Roswitha');
  roswitha.meets(FIRST, send('Which day?'));
  const id = await harness.begin(roswitha, {
    heartbeat_config: { interval_ms: SECOND, max_followups: 0 },
  });
  await harness.reaches(id, 'ABANDONED');
  await roswitha.writes('Sorry, the tenth');
  const asking = await harness.reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  expect(asking).toMatchObject({ previous_state: 'ABANDONED', unread: 1 });
  roswitha.meets('the tenth', send('That is fine.'), end('The tenth'));
  await harness.change(id, 'resume');
  await harness.reaches(id, 'COMPLETED');
  expect(await roswitha.reads('That is fine.')).toEqual(['Which day?', 'That is fine.']);
  // Again, after an end with a farewell.
  roswitha.meets('the eleventh', send('Noted.'), end('The eleventh'));
  await roswitha.writes('No, the eleventh');
  await harness.reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  await harness.change(id, 'resume');
  await roswitha.reads('Noted.');
  const knocks = await harness.relay.query('SELECT 1 FROM relay.knocks');
  expect(knocks).toEqual([]);
});
