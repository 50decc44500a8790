// Tests drafts for the owner and suggestions: both are text for the owner, and neither sends or asks for an approval.
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';
import { sendAsOwner } from '../../pipeline/gate/send-as-owner.ts';
import { createChatReader } from '../chats/chat-reader.ts';
import { createChatDraftService } from './drafts.ts';
import { type Contact, MAY, openAutoReplyFixture } from './testing/fixture.ts';

const fixture = await openAutoReplyFixture();
const { account, engine, sql } = fixture;
const reader = createChatReader({ db: engine.db, account, admins: [] });
const drafts = createChatDraftService({
  ...engine,
  facts: { pacing: fixture.conversations.settings.pacing },
  compose: fixture.compose,
});
const READ_ONLY = { ...MAY, canReply: false } as const;
const draft = ({ chat }: Contact, hint?: string) =>
  drafts.draft(chat, hint === undefined ? {} : { hint }, new AbortController().signal);
const suggestion = async ({ chat }: Contact) => (await reader.get(chat)).suggestion;
const isNothingAsked = async () => {
  expect(await sql('SELECT 1 FROM approvals')).toEqual([]);
  expect(await sql("SELECT 1 FROM permits WHERE actor <> 'owner'")).toEqual([]);
};

beforeEach(() => {
  fixture.model(({ lines, draft: asked }) =>
    [`Re: ${lines.at(-1)?.content ?? ''}`, asked?.hint, asked?.goal].filter(Boolean).join(' | '),
  );
});

test('suggests a reply in the chat and neither sends nor asks for an approval', async () => {
  verifies('WRITE-SUGGEST');
  const mom = await fixture.contact({ grant: READ_ONLY, options: { suggest: true } });
  const message = await fixture.writes(mom, 'Dinner?');
  await fixture.rest();
  expect(await fixture.decided(message)).toEqual(['unanswered: suggested']);
  expect(await suggestion(mom)).toMatchObject({ text: 'Re: Dinner?', message_id: message });
  expect((await reader.get(mom.chat)).suggests).toBe(true);
  await isNothingAsked();
});

test('calls no model for a read-only contact without the option', async () => {
  verifies('WRITE-SUGGEST');
  const mom = await fixture.contact({ grant: READ_ONLY });
  const calls = fixture.asked.length;
  await fixture.writes(mom, 'Dinner?');
  await fixture.rest();
  expect(fixture.asked).toHaveLength(calls);
  expect(await suggestion(mom)).toBeNull();
});

test('replaces a suggestion when the contact writes again, and removes it when dismissed', async () => {
  const mom = await fixture.contact({ grant: READ_ONLY, options: { suggest: true } });
  await fixture.writes(mom, 'Dinner?', new Date(Date.now() - 60_000));
  await fixture.rest();
  await fixture.writes(mom, 'At eight?');
  await fixture.rest();
  expect(await suggestion(mom)).toMatchObject({ text: 'Re: At eight?' });
  expect(
    await sql('SELECT 1 FROM session_messages WHERE suggested AND session_id = $1', [
      (await fixture.session(mom))?.id,
    ]),
  ).toHaveLength(1);
  await drafts.dismissSuggestion(mom.chat);
  expect(await suggestion(mom)).toBeNull();
});

test('hides a suggestion once the owner has written', async () => {
  const mom = await fixture.contact({ grant: READ_ONLY, options: { suggest: true } });
  await fixture.writes(mom, 'Dinner?');
  await fixture.rest();
  expect(await suggestion(mom)).not.toBeNull();
  await sendAsOwner(fixture.conversations, { to: mom.phone, text: 'Yes, at eight' });
  expect(await suggestion(mom)).toBeNull();
  const { messages } = await reader.messages(mom.chat, { limit: 10 });
  expect(messages.map(({ text, author, delivery }) => [text, author, delivery])).toEqual([
    ['Dinner?', 'contact', null],
    ['Yes, at eight', 'owner', 'pending'],
  ]);
});

test('drafts with the messages of the chat and the owner’s hint, and sends nothing', async () => {
  verifies('WRITE-DRAFT');
  const mom = await fixture.contact({ grant: READ_ONLY });
  await fixture.writes(mom, 'Dinner?');
  await fixture.rest();
  expect(await draft(mom, 'no, politely')).toEqual({ text: 'Re: Dinner? | no, politely' });
  expect(await fixture.sent(mom)).toEqual([]);
  await isNothingAsked();
});

test('drafts nothing in a chat that no agent may read', async () => {
  verifies('WRITE-DRAFT');
  const calls = fixture.asked.length;
  const stranger = await fixture.contact({ grant: null });
  await expect(draft(stranger)).rejects.toMatchObject({ code: 'denied', reason: 'no_grant' });
  expect(fixture.asked).toHaveLength(calls);
});

test('drafts for the goal of the open conversation with the contact, without a grant', async () => {
  verifies('WRITE-DRAFT');
  const mom = await fixture.contact({ grant: null });
  await fixture.create(mom.phone);
  await fixture.quiet();
  const { text } = await draft(mom);
  const [open] = await sql<{ objective: string }>(
    'SELECT objective FROM instances WHERE contact_id = $1',
    [mom.contact],
  );
  expect(text).toContain(open?.objective ?? 'no conversation');
});
