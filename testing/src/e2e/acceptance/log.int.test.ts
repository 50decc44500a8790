// The log levels as the seed defines them, and the warning for a timer that fires too late.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, type LogLine, openAcceptanceHarness } from './harness.ts';
import { FIRST, placeCall, send } from './script.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness({ settings: { log_level: 'debug' } });
});
afterAll(() => harness.end());

const about = (id: string): LogLine[] => harness.log().filter(({ instance }) => instance === id);
const said = (lines: readonly LogLine[]): string[] =>
  lines.map(({ level, msg }) => `${level} ${msg}`);

it('a timer whose conversation has changed its state is discarded with a warning', async () => {
  verifies('003-BOUND-TIMER', '003-OPEN-STALE-TIMER');
  const { relay } = harness;
  const thusnelda = await harness.person('Thusnelda');
  thusnelda.meets(FIRST, send('Which day?'));
  const id = await harness.begin(thusnelda);
  await thusnelda.reads('Which day?');
  await harness.waits(id);
  const [timer] = await relay.query('SELECT * FROM relay.timers WHERE subject_id = $1', [id]);
  await harness.change(id, 'pause');
  const before = await harness.get(id);
  // As if it had become due at the moment of the pause.
  await relay.query(
    'INSERT INTO relay.timers (account_id, kind, subject_id, epoch, due_at) VALUES ($1, $2, $3, $4, now())',
    [timer?.account_id, timer?.kind, id, timer?.epoch],
  );
  await expect
    .poll(() => about(id))
    .toContainEqual(
      expect.objectContaining({ level: 'warn', instance: id, state: 'PAUSED', event: 'heartbeat' }),
    );
  expect(await harness.get(id)).toEqual(before);
  expect(await thusnelda.has()).toEqual(['Which day?']);
});

it('errors are unrecoverable, warnings are refusals, info is what happened, debug is the rest', async () => {
  verifies('003-LOG-LEVELS');
  const { relay, phones } = harness;
  const ursus = await harness.person('Ursulina');
  ursus.meets(FIRST, placeCall(), send('Which day?'));
  ursus.meets('none suits me', send('A pity.'));
  const id = await harness.begin(ursus);
  await ursus.reads('Which day?');
  await harness.waits(id);
  await ursus.writes('none suits me');
  await ursus.reads('A pity.');
  await harness.waits(id);
  expect((await harness.run('resume', id)).exit).not.toBe(0);
  expect(said(about(id))).toEqual(
    expect.arrayContaining([
      'info conversation created',
      'info transition',
      'debug message queued',
      'debug message received',
      expect.stringMatching(/^debug tool call/),
      'debug timer set',
      'debug timer cancelled',
      'warn transition refused',
    ]),
  );
  // Lines about messages and tools are only for debugging.
  const texts = harness.log().filter((line) => JSON.stringify(line).includes('none suits me'));
  expect(new Set(texts.map(({ level }) => level))).toEqual(new Set(['debug']));

  // A permanent refusal: the conversation fails, which is an error.
  await phones.faults({ ackError: 400 });
  await harness.api.ok('POST', `/api/instances/${id}/send`, { message: 'One more thing.' });
  await harness.reaches(id, 'FAILED');
  await phones.clearFaults();
  expect(said(about(id))).toContain('error conversation failed');

  await relay.kill();
  await relay.start();
  await relay.stop();
  expect(said(harness.log())).toEqual(
    expect.arrayContaining([
      'warn previous daemon did not stop cleanly',
      'info ready',
      'info stopping',
    ]),
  );
  await relay.start();
});
