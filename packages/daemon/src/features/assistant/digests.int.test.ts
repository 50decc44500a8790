// Tests digests of an observed group in the assistant: `/digest` and `get_digest`. Reading a digest counts as reading
// the group.
import { expect, test } from 'vitest';
import { openAssistantFixture } from './testing/fixture.ts';

const fixture = await openAssistantFixture();
const { sql, account } = fixture;

const readable = (chat: string, may = true) =>
  sql(
    `INSERT INTO grants (account_id, chat_id, display_name, can_read) VALUES ($1, $2, 'Holliday', $3)
     ON CONFLICT (account_id, chat_id) WHERE chat_id IS NOT NULL DO UPDATE SET can_read = $3`,
    [account, chat, may],
  );

async function observed(): Promise<string> {
  const [chat] = await sql<{ id: string }>(
    `INSERT INTO chats (account_id, kind, group_address, subject)
     VALUES ($1, 'group', '120363000000000001@g.us', 'Holliday') RETURNING id`,
    [account],
  );
  const id = chat?.id ?? '';
  await sql(`INSERT INTO observed_groups (account_id, chat_id, zone) VALUES ($1, $2, 'UTC')`, [
    account,
    id,
  ]);
  await readable(id);
  await sql(
    `INSERT INTO digests (account_id, chat_id, kind, period_start, period_end, body, tokens)
     VALUES ($1, $2, 'daily', '2026-03-05T04:00Z', '2026-03-06T04:00Z', 'Mum fixed dinner for Saturday.', 9)`,
    [account, id],
  );
  return id;
}

test('offers get_digest once a group is observed, and taints the run with its chat', async () => {
  fixture.script({ when: { contains: 'anything new' }, reply: { text: 'No.' } });
  await fixture.asks('anything new?');
  expect(JSON.stringify(fixture.calls().at(-1))).not.toContain('get_digest');
  const chat = await observed();
  fixture.script(
    {
      when: { contains: 'what about dinner' },
      reply: {
        tool_calls: [{ name: 'get_digest', arguments: { group: 'holli', day: '2026-03-05' } }],
      },
    },
    { when: { tool_result: 'Mum fixed dinner' }, reply: { text: 'Dinner is on Saturday.' } },
  );
  expect(await fixture.asks('what about dinner?')).toContain('Dinner is on Saturday.');
  const [run] = await sql<{ taint: object }>(
    'SELECT taint FROM runs WHERE account_id = $1 ORDER BY started_at DESC LIMIT 1',
    [account],
  );
  expect(JSON.stringify(run?.taint)).toContain(chat);
});

test('refuses a group that is not observed and lists the observed ones', async () => {
  fixture.script(
    {
      when: { contains: 'the choir' },
      reply: { tool_calls: [{ name: 'get_digest', arguments: { group: 'choir' } }] },
    },
    {
      when: { tool_result: 'Observed groups: Holliday' },
      reply: { text: 'The choir is not observed.' },
    },
  );
  expect(await fixture.asks('what of the choir?')).toContain('The choir is not observed.');
});

test('leaves out a group without a read grant even if its digests are still stored', async () => {
  const [group] = await sql<{ id: string }>("SELECT id FROM chats WHERE subject = 'Holliday'");
  await readable(group?.id ?? '', false);
  fixture.script(
    {
      when: { contains: 'dinner again' },
      reply: { tool_calls: [{ name: 'get_digest', arguments: { day: '2026-03-05' } }] },
    },
    { when: { tool_result: 'You have not allowed reading' }, reply: { text: 'I may not look.' } },
  );
  expect(await fixture.asks('dinner again?')).toContain('I may not look.');
  // The model was not given it either.
  expect(JSON.stringify(fixture.calls().at(-1)?.messages.at(-1))).not.toContain('Mum fixed dinner');
  await readable(group?.id ?? '');
});

test('shows the digest of a group and day with /digest, or says why there is none', async () => {
  expect(await fixture.asks('/digest holliday 2026-03-05')).toContain(
    'Holliday, Thu 5 Mar\nMum fixed dinner for Saturday.',
  );
  expect(await fixture.asks('/digest today')).toContain('The daily digest is written at 04:00');
  expect(await fixture.asks('/digest 2026-02-30x')).toContain('There is no observed group named');
});
