import { approvalId, type ChatId } from '@relay/contract/ids';
import { type Actor, tokenActor } from '@relay/core/policy/actors';
import { createClientTokens } from '@relay/daemon/platform/db/tokens';
import { times } from '@relay/testing/store';
import { beforeEach, expect, test } from 'vitest';
import { hashSecret } from '../../interfaces/http/guard.ts';
import { assistant, freshGate } from './testing/fixture.ts';
import { createTokenService } from './tokens.ts';

const fixture = await freshGate();
const { account, approvals, chatOf, db, granted, ledger, lease, sql, submit } = fixture;
const tokens = createTokenService({ db, lease, changed: () => {} });
const mom = await chatOf(await granted());

let made = 0;
async function newClient(): Promise<Actor> {
  const name = `client ${++made}`;
  const { secret } = await tokens.create({ name, scopes: ['messages:send'], confirm: true });
  const program = await createClientTokens(db, account).findClient(hashSecret(secret));
  if (program === null) throw new Error('the new token is not known');
  return tokenActor(program);
}
const ask = async (actor: Actor, text: string, chat: ChatId = mom) => {
  const { decision, approval } = await submit(
    actor,
    { kind: 'send_message', chat, text },
    { needsConfirmation: true },
  );
  return { reason: decision.reason, approval };
};
const waiting = async () =>
  Number((await sql("SELECT count(*) FROM approvals WHERE state = 'pending'"))[0]?.count);
/** Inserts rows like `ask` does, but faster. */
const fill = (requestedBy: string, count: number) =>
  sql(
    `INSERT INTO approvals (account_id, intent, intent_hash, reason, requested_by, expires_at)
     SELECT $1, jsonb_build_object('kind', 'send_message', 'chat', $2::text, 'text', n::text),
       sha256(($3::text || n)::bytea), 'confirm', $3, now() + interval '1 day'
     FROM generate_series(1, $4::int) n`,
    [account, mom, requestedBy, count],
  );

beforeEach(() => sql('DELETE FROM approvals'));

test('refuses and records a client’s approval above its limit of 50 pending ones', async () => {
  const client = await newClient();
  // Twelve at a time, like a client that tries to get past the count.
  for (const round of times(6, (n) => n)) {
    await Promise.all(times(12, (n) => ask(client, `question ${round} ${n}`)));
  }
  expect(await waiting()).toBe(50);
  expect(await ask(client, 'one more')).toEqual({ reason: 'too_many_waiting', approval: null });
  expect(await ledger(1)).toMatchObject([{ outcome: 'deny', reason: 'too_many_waiting' }]);
});

test('lets a client at its limit submit a pending approval again, and a new one once one is answered', async () => {
  const client = await newClient();
  const { approval } = await ask(client, 'the first');
  for (const n of times(49, (n) => n)) await ask(client, `question ${n}`);
  expect(await ask(client, 'the first')).toEqual({ reason: 'confirm', approval });
  expect(await ask(client, 'new')).toMatchObject({ reason: 'too_many_waiting' });
  await approvals.reject(approvalId(approval ?? ''), null);
  expect(await ask(client, 'new')).toMatchObject({ reason: 'confirm' });
});

test('limits all clients together to 150 approvals, and everybody to 200', async () => {
  for (const n of times(3, (n) => n)) await fill(`token:${n}`, 50);
  expect(await ask(await newClient(), 'hello')).toMatchObject({ reason: 'too_many_waiting' });
  expect(await ask(assistant(), 'hello')).toMatchObject({ reason: 'confirm' });
  await fill('assistant:1', 49);
  expect(await ask(assistant(), 'hello')).toMatchObject({ reason: 'too_many_waiting' });
});

test('does not count expired approvals', async () => {
  await fill('assistant:1', 200);
  await sql("UPDATE approvals SET expires_at = now() - interval '1 second'");
  expect(await ask(await newClient(), 'hello')).toMatchObject({ reason: 'confirm' });
});

test('lets the owner edit an approval while 200 are pending', async () => {
  const { approval } = await ask(await newClient(), 'hello');
  await fill('assistant:1', 199);
  const edited = await approvals.edit(approvalId(approval ?? ''), 'hello, dear');
  expect(edited).toMatchObject({ state: 'pending', text: 'hello, dear' });
});

test('still asks the person at a client that has reached its limit', async () => {
  const client = await newClient();
  await fill(`token:${client.kind === 'token' ? client.token : ''}`, 50);
  const { decision } = await submit(
    client,
    { kind: 'send_message', chat: mom, text: 'hello' },
    { needsConfirmation: true, confirmsAtClient: true },
  );
  expect(decision.reason).toBe('confirm');
});
