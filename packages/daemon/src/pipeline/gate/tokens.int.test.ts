import { approvalId, type ChatId } from '@relay/contract/ids';
import { tokenActor } from '@relay/core/policy/actors';
import { createLedgerReader } from '@relay/daemon/platform/db/ledger-reader';
import { createClientTokens, noteTokenReads } from '@relay/daemon/platform/db/tokens';
import { times } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { hashSecret } from '../../interfaces/http/guard.ts';
import { freshGate } from './testing/fixture.ts';
import { createTokenService } from './tokens.ts';

const fixture = await freshGate({ notifyOwner: true });
const { account, approvals, chatOf, db, granted, ledger, lease, sql, submit, verdicts } = fixture;
const changes: string[] = [];
const tokens = createTokenService({ db, lease, changed: () => changes.push('changed') });
const known = (secret: string) => createClientTokens(db, account).findClient(hashSecret(secret));
const reader = createLedgerReader({ db, account, admins: [], now: () => new Date(), zone: 'UTC' });

const SEND = { scopes: ['messages:read', 'messages:send'], confirm: true } as const;
let made = 0;
const newToken = async (name = `program ${++made}`) => {
  const { id, secret } = await tokens.create({ name, ...SEND, scopes: [...SEND.scopes] });
  const program = await known(secret);
  if (program === null) throw new Error('a token that opens nothing');
  return { id, name, secret, actor: tokenActor(program) };
};
const said = (chat: ChatId, text: string) => ({ kind: 'send_message', chat, text }) as const;
const reads = (token: string, chat: ChatId) => noteTokenReads(db, account, token as never, [chat]);
const empty = () => sql('DELETE FROM outbox');

test('returns a secret once, stores only its hash, and records its last use', async () => {
  const mom = await granted({ displayName: 'Mom' });
  const token = await tokens.create({
    name: 'claude',
    scopes: ['messages:send', 'messages:read', 'messages:read'],
    contacts: ['Mom', `+${mom.phoneNumber}`, '+49 151 99 000 111'],
    confirm: false,
  });
  expect(token).toMatchObject({
    name: 'claude',
    scopes: ['messages:read', 'messages:send'],
    confirm: false,
    has_read: false,
    last_used_at: null,
    secret: expect.stringMatching(/^relay_[\w-]{43}$/),
  });
  expect(token.contacts).toHaveLength(2);
  const row = JSON.stringify(await sql('SELECT * FROM tokens WHERE id = $1', [token.id]));
  expect(row).not.toContain(token.secret.slice(6));
  expect(await known(token.secret)).toMatchObject({ name: 'claude', confirm: false });
  const [listed] = await tokens.list();
  expect(listed).toMatchObject({ name: 'claude', last_used_at: expect.any(String) });
  expect(listed).not.toHaveProperty('secret');
  await expect(
    tokens.create({ name: 'claude', ...SEND, scopes: ['messages:read'] }),
  ).rejects.toThrow('A token named claude already exists');
  await expect(
    tokens.create({ ...SEND, name: 'x', scopes: ['messages:read'], contacts: ['Nobody'] }),
  ).rejects.toThrow('There is no contact named Nobody.');
});

test('replaces the secret on rotation and nothing else, and rejects a revoked token', async () => {
  const { name, secret } = await newToken();
  const rotated = await tokens.rotate(name);
  expect(await known(secret)).toBeNull();
  expect(await known(rotated.secret)).toMatchObject({ name, scopes: SEND.scopes });
  expect(rotated.rotated_at).not.toBeNull();
  await tokens.revoke(rotated.id);
  expect(await known(rotated.secret)).toBeNull();
  await expect(tokens.rotate(name)).rejects.toThrow(`There is no token named ${name}.`);
  await newToken(name);
});

test('rejects an expired token, lists it as expired, and frees its name', async () => {
  const { id, name, secret } = await newToken();
  await sql("UPDATE tokens SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
  expect(await known(secret)).toBeNull();
  expect((await tokens.list()).map((token) => token.id)).toContain(id);
  await expect(tokens.rotate(name)).rejects.toThrow('has expired');
  expect((await newToken(name)).id).not.toBe(id);
  expect((await tokens.list()).map((token) => token.id)).not.toContain(id);
  const past = { name: 'late', ...SEND, scopes: [...SEND.scopes] };
  for (const expires_at of ['2020-01-01T00:00:00Z', '0000-01-01T00:00:00Z']) {
    await expect(tokens.create({ ...past, expires_at })).rejects.toThrow('Choose a later time');
  }
});

test('creates one token when several are requested with the same name at once', async () => {
  const request = { name: 'contested', ...SEND, scopes: [...SEND.scopes] };
  const answers = await Promise.allSettled(times(6, () => tokens.create(request)));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'token_exists' });
  }
});

test('stops a queued message when its token is revoked or has lost its scope', async () => {
  await empty();
  const chat = await chatOf(await granted());
  const { id, actor } = await newToken();
  expect(await submit(actor, said(chat, 'Hi'))).toMatchObject({ message: expect.anything() });
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  await tokens.rotate(id);
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  await sql("UPDATE tokens SET scopes = '{messages:read}' WHERE id = $1", [id]);
  expect(await verdicts()).toMatchObject([
    { verdict: 'stop', lost: true, reason: 'missing_scope' },
  ]);
  await sql("UPDATE tokens SET scopes = '{messages:send}', contacts = '{}' WHERE id = $1", [id]);
  expect(await verdicts()).toMatchObject([{ verdict: 'stop', reason: 'contact_not_on_token' }]);
  await tokens.revoke(id);
  expect(await verdicts()).toEqual([
    {
      verdict: 'stop',
      lost: true,
      reason: 'token_gone',
      sentence: expect.stringMatching(/^The token of the client was revoked/),
    },
  ]);
});

test('uses the token’s present scopes, not those at the beginning of the call', async () => {
  const chat = await chatOf(await granted());
  const { id, actor } = await newToken();
  await sql("UPDATE tokens SET scopes = '{messages:read}' WHERE id = $1", [id]);
  expect((await submit(actor, said(chat, 'Hi'))).decision.reason).toBe('missing_scope');
  await tokens.revoke(id);
  expect((await submit(actor, said(chat, 'Hi'))).decision.reason).toBe('token_gone');
  expect(await ledger(1)).toMatchObject([{ outcome: 'deny', reason: 'token_gone' }]);
});

test('asks the owner when a client sends what it may have read elsewhere, and records the chat', async () => {
  await empty();
  const [ana, ben] = [
    await chatOf(await granted({ displayName: 'Ana' })),
    await chatOf(await granted({ displayName: 'Ben' })),
  ];
  const { id, name, actor } = await newToken();
  await reads(id, ana);
  expect(await submit(actor, said(ana, 'Yes, gladly'))).toMatchObject({
    decision: { outcome: 'allow' },
  });
  const { decision, approval } = await submit(actor, said(ben, 'Ana’s code is 4711'));
  expect(decision).toEqual({ outcome: 'needs_approval', reason: 'read_then_send' });
  const [line] = (await reader.list({ order: 'newest', limit: 1, action: 'send_message' })).entries;
  expect(line).toMatchObject({
    who: `client “${name}”`,
    about: expect.stringContaining('Ben'),
    detail: { taint: { chats: [ana], outside: false } },
    sentence: expect.stringMatching(/Read before: Ana\.$/),
  });
  const [asked] = (await approvals.list('pending')).filter((waiting) => waiting.id === approval);
  expect(asked).toMatchObject({ requested_by: `token:${id}`, requested_by_name: name });
  expect((await tokens.list()).find((token) => token.id === id)?.has_read).toBe(true);
  // A new secret does not make it another client.
  await tokens.rotate(id);
  expect((await submit(actor, said(ben, 'Hi'))).decision.reason).toBe('read_then_send');
});

test('sends exactly the approved bytes for a client, and none that differ', async () => {
  await empty();
  const [ana, ben] = [await chatOf(await granted()), await chatOf(await granted())];
  const { id, name, actor } = await newToken();
  await reads(id, ana);
  const text = 'Meet me at 8 ';
  const { approval: first } = await submit(actor, said(ben, text));
  const yes = approvalId(first ?? '');
  await approvals.approve(yes);
  const bodies = async () =>
    (await sql('SELECT body FROM outbox ORDER BY seq')).map(({ body }) => body);
  expect(await bodies()).toEqual([text]);
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  for (const other of ['Meet me at 9 ', 'Meet me at 8', `${text} `]) {
    const again = await submit(actor, said(ben, other), { approval: yes });
    expect(again.decision).toEqual({ outcome: 'deny', reason: 'approval_differs' });
  }
  expect((await submit(actor, said(ben, text), { approval: yes })).decision.reason).toBe(
    'approval_spent',
  );
  expect(await bodies()).toEqual([text]);
  const [{ id: outbox } = { id: '' }] = await sql<{ id: string }>('SELECT id FROM outbox');
  expect((await reader.why(outbox)).sentence).toMatch(
    new RegExp(`^The client “${name}” wrote this to .*, which you approved`),
  );
});

test('refuses to approve the request of a revoked token, and records the refusal', async () => {
  await empty();
  const [ana, ben] = [await chatOf(await granted()), await chatOf(await granted())];
  const { id, actor } = await newToken();
  await reads(id, ana);
  const { approval } = await submit(actor, said(ben, 'Hello'));
  await tokens.revoke(id);
  await expect(approvals.approve(approvalId(approval ?? ''))).rejects.toThrow(
    'Not allowed: The token of the client was revoked or has expired.',
  );
  expect(await ledger(1)).toMatchObject([
    { action: 'send_message', outcome: 'deny', reason: 'token_gone' },
  ]);
  expect(await verdicts()).toEqual([]);
  await approvals.reject(approvalId(approval ?? ''), null);
});

test('tells the owner which client asks', async () => {
  await empty();
  await sql("UPDATE accounts SET phone = '4915100000001' WHERE id = $1", [account]);
  const chat = await chatOf(await granted({ displayName: 'Mom' }));
  const { name, actor } = await newToken();
  await submit(actor, said(chat, 'Hello there'), { needsConfirmation: true });
  const [notice] = await sql('SELECT body FROM outbox');
  expect(notice?.body).toContain(` needs your approval. Requested by the client “${name}”.`);
});
