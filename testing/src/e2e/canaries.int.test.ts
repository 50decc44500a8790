// Canaries: secrets that must never be in a log, placed wherever they could leak, through valid and invalid requests,
// faults and a crash. Then every log is searched for them.
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { onGivenServer, openRelay, type Relay } from './relay.ts';

const PHONE = '+56 9 8765 4321';
const TEXT = 'the canary sings of a secret garden behind the old mill by the river';
const OBJECTIVE = 'learn where the canary hides its golden egg before the winter comes back';
const KEY = 'sk-ant-api03-canarycanarycanary';
const GUESS = `relay_${'canary'.repeat(7)}x`;

describe.each(['info', 'debug'])('at level %s', (level) => {
  let relay: Relay;
  beforeAll(async () => {
    // The default is info.
    const environment = { RELAY_LOG_LEVEL: level === 'info' ? undefined : level };
    relay = await openRelay(environment, { database: 'private' });
    await relay.configure({ model_api_key: KEY, model_provider: 'anthropic' });
    await relay.start();
    await provoke(relay);
    await relay.kill();
    await relay.start();
    await provoke(relay);
    await relay.stop();
  });
  afterAll(() => relay.end());

  it('no canary is in any log', () => {
    verifies('003-SEC-LOGS');
    const logs = logsOf(relay);
    expect(logs).toContain('no room for');
    for (const canary of canaries(relay)) {
      expect({ canary, found: logs.includes(canary) }).toEqual({ canary, found: false });
    }
  });

  it('the log is JSON, one line for each event, at the requested level', () => {
    verifies('003-LOG-PINO', '003-LOG-LEVEL', '003-LOG-LEVELS');
    const lines = relay
      .file('relay.log')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; time: string; msg: string });
    expect(lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['ready', 'stopping', 'request failed']),
    );
    const started = lines.filter(({ msg }) => msg === 'ready' || msg === 'stopping');
    expect(new Set(started.map((line) => line.level))).toEqual(new Set(['info']));
    expect(lines.some((line) => line.level === 'debug')).toBe(level === 'debug');
    for (const line of lines) expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT/);
  });
});

/** At debug the first 50 characters of a text may be logged, never more. */
function canaries(relay: Relay): string[] {
  const digits = PHONE.replace(/\D/g, '');
  return [
    ...[PHONE, digits, digits.slice(-8), '8765 4321'],
    ...[TEXT.slice(0, 51), TEXT.slice(-20), OBJECTIVE.slice(0, 51), OBJECTIVE.slice(-20)],
    ...[KEY, relay.token, GUESS],
    ...(onGivenServer ? [passwordOf(relay)] : [relay.databasePassword]),
  ];
}

const passwordOf = ({ database }: Relay) =>
  new URL(database?.url ?? 'postgres://x:unused@x').password || 'no password was given';

function logsOf(relay: Relay): string {
  const files = readdirSync(relay.home).filter((name) => /^relay.*\.log$|^daemon\.out$/.test(name));
  const names = onGivenServer ? files : [...files, 'postgres/postgres.log'];
  return names.map((name) => readFileSync(join(relay.home, name), 'utf8')).join('\n');
}

/** Does everything that could put a canary into a log. */
async function provoke(relay: Relay): Promise<void> {
  const create = { objective: OBJECTIVE, target_contact: PHONE, todos: [{ text: TEXT }] };
  const { json } = await relay.call('POST', '/api/instances', create);
  const { id } = json as { id: string };
  await relay.settled(id);
  const send = (message: unknown) => relay.call('POST', `/api/instances/${id}/send`, { message });
  await send(TEXT);

  // Refused requests, with the canary where it does not belong.
  await send({ [TEXT]: PHONE });
  await relay.call('POST', '/api/instances', { ...create, [TEXT]: KEY, target_contact: TEXT });
  await relay.call('POST', '/api/instances', `{"objective": ${TEXT}`);
  await relay.call('GET', `/api/instances/${encodeURIComponent(PHONE)}`);
  await relay.call(
    'GET',
    `/${encodeURIComponent(TEXT)}?token=${relay.token}&phone=${PHONE.replace(/\D/g, '')}`,
  );
  await relay.call('GET', '/api/status', undefined, {
    headers: { authorization: `Bearer ${GUESS}`, cookie: `relay_session_1=${TEXT}` },
  });
  const raw = connect({ host: '127.0.0.1', port: relay.port });
  raw.end(`${TEXT} ${PHONE} ${relay.token}\r\n\r\n`);
  await text(raw);

  // Internal faults while canaries are being written to and read from the database.
  await relay.query(
    'ALTER TABLE relay.instance_messages ADD CONSTRAINT no_more CHECK (false) NOT VALID',
  );
  await send(TEXT);
  await relay.query('ALTER TABLE relay.instance_messages DROP CONSTRAINT no_more');
  await whileFailing(relay, () =>
    relay.call('POST', '/api/instances', { ...create, target_contact: `${PHONE}0` }),
  );
  await relay.query('ALTER TABLE relay.instances RENAME TO hidden_away');
  await relay.call('POST', '/api/instances', create);
  await relay.query('ALTER TABLE relay.hidden_away RENAME TO instances');
  await relay.call('POST', `/api/instances/${id}/cancel`);
}

/** A failure whose own message contains the canaries: only the masking keeps them out of the log. */
async function whileFailing(relay: Relay, work: () => Promise<unknown>): Promise<void> {
  const password = onGivenServer ? passwordOf(relay) : relay.databasePassword;
  const words = `${PHONE} ${KEY} ${relay.token} postgres://relay:${password}@host/relay`;
  // PostgreSQL's own log is excluded: this message there would be the test's, not Relay's.
  await relay.query(`CREATE FUNCTION relay.fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    PERFORM set_config('log_min_messages', 'fatal', true);
    RAISE EXCEPTION 'no room for % or ${words}', NEW.value; END $$`);
  await relay.query(
    'CREATE TRIGGER fail BEFORE INSERT ON relay.contact_aliases FOR EACH ROW EXECUTE FUNCTION relay.fail()',
  );
  await work();
  await relay.query('DROP FUNCTION relay.fail CASCADE');
}
