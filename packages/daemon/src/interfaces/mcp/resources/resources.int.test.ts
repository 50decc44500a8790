// Tests listing and reading resources and change notices: always limited to what the token may read.
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { ChatId } from '@relay/contract/ids';
import type { ClientScope } from '@relay/contract/policy/scopes';
import { eventually } from '@relay/testing/store';
import { expect, onTestFinished, test } from 'vitest';
import { appendEvent } from '../../../platform/db/events.ts';
import { answerRequest } from '../protocol.ts';
import { openReading } from '../testing/reading.ts';
import { ChangeNotices } from './change-notices.ts';
import { readResource } from './handlers.ts';
import { listResourcePage } from './list.ts';

const fixture = await openReading();
const { chatter, deps, sql, grant, token, readBy } = fixture;
const EVERYTHING: readonly ClientScope[] = ['messages:read', 'digests:read', 'conversations:read'];

const ben = await chatter.person('Ben B', '15550000001');
const cara = await chatter.person('Cara C', '15550000002');
const stranger = await chatter.person('Dan D', '15550000003');
const family = await chatter.group('Family');
const secret = await chatter.group('Secret');
await grant({ contact: ben.contact }, 'Ben');
await grant({ contact: cara.contact }, 'Cara');
await grant({ contact: stranger.contact }, 'Dan', { read: false });
await grant({ group: family }, 'The family');
await chatter.say(
  { chat: ben.chat, by: ben.contact, text: 'canary of Ben' },
  { chat: cara.chat, by: cara.contact, text: 'canary of Cara' },
  { chat: stranger.chat, by: stranger.contact, text: 'canary of Dan' },
);
await fixture.digest(family, 'canary of the family');
await fixture.digest(secret, 'canary of the secret');
const [talk = '', hidden = ''] = await talkWith(ben, stranger);

async function talkWith(...people: readonly { contact: string; chat: ChatId }[]) {
  const ids: string[] = [];
  for (const { contact, chat } of people) {
    const [row] = await sql<{ id: string }>(
      `INSERT INTO instances (account_id, id, contact_id, chat_id, target_contact, objective, state, interval_ms, max_followups)
       VALUES ($1, gen_random_uuid(), $2, $3, 'them', 'canary of the objective', 'ACTIVE', 1, 1) RETURNING id`,
      [fixture.account, contact, chat],
    );
    await sql(
      `INSERT INTO instance_messages (account_id, instance_id, role, content) VALUES ($1, $2, 'contact', 'canary of the talk')`,
      [fixture.account, row?.id],
    );
    ids.push(row?.id ?? '');
  }
  return ids;
}

const address = async (chat: ChatId) => {
  const [row] = await sql<{ group_address: string }>(
    'SELECT group_address FROM chats WHERE id = $1',
    [chat],
  );
  return row?.group_address ?? '';
};

type Token = Awaited<ReturnType<typeof token>>;
const list = ({ hash }: Token, cursor?: string) =>
  answerRequest(deps, hash, (asking) => listResourcePage(asking, cursor));
const urisFor = async (who: Token) => (await list(who)).resources.map(({ uri }) => uri).sort();
const read = async ({ hash }: Token, uri: string) => {
  const signal = new AbortController().signal;
  const { contents } = await answerRequest(deps, hash, (asking) =>
    readResource(asking, hash, uri, signal),
  );
  const [content] = contents;
  expect(content).toMatchObject({ uri, mimeType: 'application/json' });
  return content !== undefined && 'text' in content ? content.text : '';
};
const BEN = 'relay://chats/15550000001@s.whatsapp.net';
const CARA = 'relay://chats/15550000002@s.whatsapp.net';
const DAN = 'relay://chats/15550000003@s.whatsapp.net';

test('lists only the readable resources that the token’s scopes allow', async () => {
  const group = await address(family);
  const digests = `relay://digests/${group}`;
  const transcript = `relay://conversations/${talk}/transcript`;
  const chats = ['relay://chats', `relay://chats/${group}`, BEN, CARA];
  expect(await urisFor(await token(EVERYTHING))).toEqual([...chats, digests, transcript].sort());
  expect(await urisFor(await token(['messages:read']))).toEqual(chats.sort());
  expect(await urisFor(await token(['digests:read']))).toEqual([digests]);
  expect(await urisFor(await token(['conversations:read']))).toEqual([transcript]);
  expect(await urisFor(await token(['messages:send']))).toEqual([]);
  const ofCara = await token(EVERYTHING, [cara.contact]);
  expect(await urisFor(ofCara)).toEqual(['relay://chats', CARA]);
  const { resources } = await list(await token(EVERYTHING));
  expect(resources.map(({ title }) => title)).toContain('Chat: The family');
  expect(JSON.stringify(resources)).not.toMatch(/canary|Ben B/);
});

test('reads the same as its tool, and records whose messages were read', async () => {
  const who = await token(EVERYTHING);
  const chats = JSON.parse(await read(who, 'relay://chats'));
  expect(chats.chats).toContainEqual({
    id: '15550000001@s.whatsapp.net',
    name: 'Ben',
    uri: BEN,
    unread_count: 0,
    last_message_at: null,
  });
  expect(await readBy(who)).toEqual([]);
  expect(await read(who, BEN)).toContain('canary of Ben');
  expect(await readBy(who)).toEqual([ben.chat]);
  const group = await address(family);
  for (const uri of [`relay://digests/${group}`, `relay://digests/${group}/2026-10-13`]) {
    expect(await read(who, uri)).toContain('canary of the family');
  }
  expect((await readBy(who)).sort()).toEqual([ben.chat, family].sort());
  const other = await token(['conversations:read']);
  expect(await read(other, `relay://conversations/${talk}/transcript`)).toContain(
    'canary of the talk',
  );
  expect(await readBy(other)).toEqual([ben.chat]);
});

test('answers a missing resource, a forbidden one and an invalid address in the same way', async () => {
  const ofCara = await token(EVERYTHING, [cara.contact]);
  const group = await address(secret);
  const cases: readonly (readonly [Token, string])[] = [
    [ofCara, BEN],
    [ofCara, `relay://conversations/${talk}/transcript`],
    [await token(['digests:read']), BEN],
    [await token(['messages:read']), `relay://digests/${await address(family)}`],
    ...[
      DAN,
      'relay://chats/15559999999@s.whatsapp.net',
      `relay://chats/${stranger.chat}`,
      'relay://chats/Ben',
      `relay://digests/${group}`,
      `relay://digests/${group}/2026-10-13`,
      'relay://digests/999@g.us',
      `relay://conversations/${hidden}/transcript`,
      'relay://conversations/00000000-0000-4000-8000-000000000000/transcript',
      'file:///etc/passwd',
    ].map((uri) => [every, uri] as const),
  ];
  for (const [who, uri] of cases) {
    const error = await read(who, uri).catch((refused: unknown) => refused);
    expect(error, uri).toBeInstanceOf(ResourceNotFoundError);
    expect(error).toMatchObject({
      message: `Resource not found: ${uri}`,
      code: -32602,
      data: { uri },
    });
    expect(await readBy(who)).not.toContain(stranger.chat);
  }
});
const every = await token(EVERYTHING);

test('pages a long list with each entry once, and refuses an invented cursor', async () => {
  await sql(
    `WITH people AS (INSERT INTO contacts (account_id, id)
       SELECT $1::bigint, gen_random_uuid() FROM generate_series(1, 130) RETURNING id),
     numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM people),
     chatting AS (INSERT INTO chats (account_id, kind, contact_id, last_message_at)
       SELECT $1::bigint, 'direct', id, to_timestamp(n) FROM numbered),
     named AS (INSERT INTO contact_aliases (account_id, contact_id, kind, value)
       SELECT $1::bigint, id, 'phone', 16660000000 + n FROM numbered)
     INSERT INTO grants (account_id, contact_id, display_name, can_read)
       SELECT $1::bigint, id, 'one of many', true FROM numbered`,
    [fixture.account],
  );
  const who = await token(['messages:read']);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(who, cursor);
    expect(page.resources.length).toBeLessThanOrEqual(101);
    seen.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toHaveLength(130 + 4);
  expect(seen[1]).toBe('relay://chats/16660000130@s.whatsapp.net');
  for (const made of ['', 'x', Buffer.from('[0,"1; DROP","x"]').toString('base64url')]) {
    await expect(list(who, made)).rejects.toMatchObject({ code: -32602 });
  }
  await sql(`DELETE FROM grants WHERE display_name = 'one of many'`);
});

const happens = async (kind: string, subject: string | null, data = {}) => {
  await fixture.database.kysely
    .transaction()
    .execute((tx) => appendEvent(tx, fixture.account, { kind, subject, data }));
  fixture.conversations.events.hint();
};

async function listening(notices: ChangeNotices, { hash }: Token) {
  const subscription = await notices.subscribe(hash);
  const heard: string[] = [];
  const leave = subscription?.onNotice((event) => {
    heard.push(event.kind === 'resource_updated' ? event.uri : event.kind);
  });
  if (leave === undefined) throw new Error('no subscription');
  onTestFinished(leave);
  const hears = (uri: string) => eventually(async () => heard.includes(uri));
  return { heard, hears, leave };
}

test('sends a change under every address of the resource, to those who may read it', async () => {
  const notices = new ChangeNotices(deps);
  await sql(
    `INSERT INTO contact_aliases (account_id, contact_id, kind, value) VALUES ($1, $2, 'lid', '4242')`,
    [fixture.account, ben.contact],
  );
  const all = await listening(notices, every);
  const ofCara = await listening(notices, await token(EVERYTHING, [cara.contact]));
  const sends = await listening(notices, await token(['messages:send']));
  const group = await address(family);

  await happens('message', ben.chat, { number: 1, message: 'X' });
  await happens('message', stranger.chat, { number: 2, message: 'Y' });
  await happens('digest', family, { kind: 'daily', day: '2026-10-13' });
  await happens('digest', secret, { kind: 'daily', day: '2026-10-13' });
  await happens('conversation', talk, { state: 'ACTIVE' });
  await happens('message', cara.chat, { number: 3, message: 'Z' });
  await Promise.all([all.hears(CARA), ofCara.hears(CARA)]);
  expect([...new Set(all.heard)].sort()).toEqual(
    [
      'relay://chats',
      BEN,
      BEN.replace('@', '%40'),
      'relay://chats/4242@lid',
      'relay://chats/4242%40lid',
      `relay://chats/${ben.chat}`,
      `relay://digests/${group}`,
      `relay://digests/${group.replace('@', '%40')}`,
      `relay://digests/${family}`,
      `relay://digests/${group}/2026-10-13`,
      `relay://digests/${group.replace('@', '%40')}/2026-10-13`,
      `relay://digests/${family}/2026-10-13`,
      `relay://conversations/${talk}/transcript`,
      CARA,
      CARA.replace('@', '%40'),
      `relay://chats/${cara.chat}`,
    ].sort(),
  );
  const cares = ['relay://chats', CARA, CARA.replace('@', '%40'), `relay://chats/${cara.chat}`];
  expect([...new Set(ofCara.heard)].sort()).toEqual(cares.sort());
  expect(sends.heard).toEqual([]);
});

test('notifies the tokens whose list changes when a grant is given or revoked', async () => {
  const notices = new ChangeNotices(deps);
  const all = await listening(notices, every);
  const ofCara = await listening(notices, await token(EVERYTHING, [cara.contact]));
  await grant({ contact: stranger.contact }, 'Dan');
  await happens('grant', null);
  await all.hears('resources_list_changed');
  await grant({ contact: stranger.contact }, 'Dan', { read: false });
  await happens('grant', null);
  await happens('message', stranger.chat, { number: 4, message: 'W' });
  await happens('message', cara.chat, { number: 5, message: 'V' });
  await Promise.all([all.hears(CARA), ofCara.hears(CARA)]);
  expect(all.heard.filter((each) => each === 'resources_list_changed')).toHaveLength(2);
  expect(all.heard).not.toContain(DAN);
  expect(ofCara.heard).not.toContain('resources_list_changed');
});

test('notifies a revoked token no more, and stops following when the last subscriber leaves', async () => {
  const notices = new ChangeNotices(deps);
  const who = await token(EVERYTHING);
  const gone = await listening(notices, who);
  const stays = await listening(notices, every);
  await sql('UPDATE tokens SET revoked_at = now() WHERE id = $1', [who.id]);
  await happens('message', ben.chat, { number: 6, message: 'U' });
  await stays.hears(BEN);
  expect(gone.heard).toEqual([]);
  gone.leave();
  stays.leave();
  expect(notices.subscriberCount).toBe(0);

  const before = await fixture.conversations.events.latest();
  await happens('message', ben.chat, { number: 7, message: 'T' });
  // The event becomes visible only when no older transaction is running, even another test's on this server.
  await eventually(async () => (await fixture.conversations.events.latest()) !== before);
  const next = await listening(notices, every);
  await happens('message', cara.chat, { number: 8, message: 'S' });
  await next.hears(CARA);
  expect(next.heard).not.toContain(BEN);
  expect(stays.heard).not.toContain(CARA);
});

test('limits the subscriptions of a token', async () => {
  const notices = new ChangeNotices(deps);
  const all = await Promise.all(Array.from({ length: 33 }, () => notices.subscribe(every.hash)));
  expect(all.filter((subscription) => subscription === null)).toHaveLength(1);
  const { hash } = await token(EVERYTHING);
  const other = await notices.subscribe(hash);
  expect(other).not.toBeNull();
  for (const subscription of [...all, other]) subscription?.unsubscribe();
  expect(notices.subscriberCount).toBe(0);
});
