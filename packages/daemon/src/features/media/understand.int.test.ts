// Tests what agents hear, see and read: a voice message, a photo or a document from its stored bytes to what the model is
// given, on a real database with the scripted model and transcription server.
import type { ChatId, MediaId, MessageId } from '@relay/contract/ids';
import { transcriptionSchema } from '@relay/contract/settings';
import { wordsInFile } from '@relay/simulator/model/media';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { onRoute } from '../../pipeline/router/router.ts';
import { MEDIA_WAIT_MS } from '../../platform/db/message-text.ts';
import { observedMessagesBetween } from '../../platform/db/observer/messages.ts';
import {
  ALL,
  type AssistantFixture,
  type Contact,
  calling,
  openAssistantFixture,
} from '../assistant/testing/fixture.ts';
import { createAutoReplyAgent } from '../auto-reply/agent.ts';
import { openAutoReply } from '../auto-reply/feature.ts';
import { createConversationAgent } from '../conversations/agent.ts';
import { onMediaUnderstood } from '../observer/on-message.ts';
import { indexMedia } from '../search/indexer.ts';
import { pdfPage } from './testing/hostile-files.ts';
import { modelSettingsOf } from './testing/settings.ts';
import { type MediaFixture, openMediaFixture } from './testing/stored-media.ts';
import { describeTranscription } from './transcription.ts';
import { onUnderstandJob } from './understand.ts';

let ahead = 0;
let fixture: AssistantFixture;
let media: MediaFixture;
let ana: Contact;

beforeAll(async () => {
  fixture = await openAssistantFixture({
    now: () => new Date(Date.now() + ahead),
    readPhoto: (object) => media.readPhoto(object),
  });
  media = await openMediaFixture(fixture.engine, {
    server: `${fixture.model.url}/v1`,
    async onUnderstood(work, message) {
      await indexMedia(work.tx, fixture.account, message.number);
      const { engine, settings } = fixture;
      await onMediaUnderstood({ ...engine, settings, admins: [] }, work, message);
    },
  });
  const thinking = {
    models: fixture.engine.models,
    clock: fixture.engine.clock,
    limits: fixture.settings.agent,
    log: fixture.conversations.log,
    readPhoto: media.readPhoto,
  };
  fixture.agent(createConversationAgent(thinking));
  await openAutoReply({ ...fixture.conversations, settings: fixture.settings, zone: 'UTC' }).start(
    createAutoReplyAgent(thinking),
  );
  media.work();
});
beforeEach(async () => {
  ahead = 0;
  fixture.model.rules([]);
  fixture.model.hearing({});
  await fixture.forgetCalls();
  ana = await fixture.contact('Ana', ALL);
});
afterEach(() => {
  ahead = 0;
});

const VOICE = { kind: 'audioMessage', body: '[Audio message]' };
const PHOTO = { kind: 'imageMessage', body: '[Image] look' };
const PDF = { kind: 'documentMessage', body: '[Document] ticket.pdf' };

/** A message with media, stored and routed; its bytes may come later. */
async function receives({ chat, contact }: Contact, { kind, body }: typeof VOICE) {
  const of = await fixture.store(chat, contact, body, fixture.conversations.now(), { kind });
  const row = await media.await({ chat, of, kind: 'voice' });
  await onRoute(fixture.conversations)({ data: of, complete: async () => {} });
  return { chat, of, row };
}

const asVoice = (words: string) =>
  ({
    kind: 'voice',
    mimeType: 'audio/ogg',
    bytes: Buffer.concat([Buffer.from('OggS'), wordsInFile(words)]),
  }) as const;
const asPhoto = (words: string) =>
  ({
    kind: 'image',
    mimeType: 'image/png',
    bytes: Buffer.concat([Buffer.from('\x89PNG'), wordsInFile(words)]),
  }) as const;
const asPdf = (text: string) =>
  ({
    kind: 'document',
    mimeType: 'application/pdf',
    fileName: 'ticket.pdf',
    bytes: pdfPage(text),
  }) as const;

const lastUserText = () => JSON.stringify(fixture.lastCall()?.messages.at(-1)?.content ?? '');
const rowOf = async (id: MediaId) =>
  (
    await fixture.sql<{
      understood: string;
      transcript: string | null;
      language: string | null;
      understood_by: string | null;
    }>('SELECT understood, transcript, language, understood_by FROM media WHERE id = $1', [id])
  )[0];
const chatCalls = () => fixture.model.calls().filter(({ path }) => path === '/v1/chat/completions');

test('answers a voice message by what was said in it', async () => {
  verifies('MEDIA-VOICE');
  const { of, row } = await receives(ana, VOICE);
  await media.put({ chat: ana.chat, of, ...asVoice('Can we meet on Tuesday?') }, row);
  await eventually(async () => chatCalls().length > 0);
  expect(lastUserText()).toContain('(written down by a machine) Can we meet on Tuesday?');
  expect(await rowOf(row)).toEqual({
    understood: 'done',
    transcript: 'Can we meet on Tuesday?',
    language: 'en',
    understood_by: 'whisper-1',
  });
});

test('gives the beginning of a document to the agent', async () => {
  verifies('MEDIA-DOCUMENTS');
  const { of, row } = await receives(ana, PDF);
  await media.put({ chat: ana.chat, of, ...asPdf('Flight 15:40 from Lisbon') }, row);
  await eventually(async () => chatCalls().length > 0);
  expect(lastUserText()).toMatch(
    /\[Document\] ticket\.pdf\\n\(text of the document\) Flight 15:40 from Lisbon/,
  );
});

test('shows a photo to a model that can see, with its caption', async () => {
  verifies('MEDIA-PHOTOS');
  const { of, row } = await receives(ana, PHOTO);
  await media.put({ chat: ana.chat, of, ...asPhoto('x') }, row);
  await eventually(async () => chatCalls().length > 0);
  expect(fixture.lastCall()?.messages.at(-1)?.content).toMatchObject([
    { type: 'text', text: expect.stringContaining('[Image] look') },
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } },
  ]);
});

test('keeps photos from the model where the owner says so', async () => {
  verifies('MEDIA-PHOTOS');
  await fixture.sql(`UPDATE grants SET options = '{"photos": "hide"}' WHERE contact_id = $1`, [
    ana.contact,
  ]);
  const { of, row } = await receives(ana, PHOTO);
  await media.put({ chat: ana.chat, of, ...asPhoto('x') }, row);
  await eventually(async () => chatCalls().length > 0);
  expect(lastUserText()).toContain('[Image] look');
  expect(lastUserText()).not.toContain('image_url');
});

test('waits for media, and continues without them after 30 seconds', async () => {
  verifies('MEDIA-TURN-WAITS');
  const { row } = await receives(ana, VOICE);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(chatCalls()).toEqual([]);
  ahead = MEDIA_WAIT_MS + 1_000;
  await eventually(async () => chatCalls().length > 0);
  expect(lastUserText()).toContain('[Audio message]');
  expect(lastUserText()).not.toContain('written down');
  expect((await rowOf(row))?.understood).toBe('not_needed');
});

test('continues with the placeholder when the server refuses the recording', async () => {
  verifies('MEDIA-VOICE-FAILS');
  fixture.model.hearing({ status: 400 });
  const { of, row } = await receives(ana, VOICE);
  await media.put({ chat: ana.chat, of, ...asVoice('unheard') }, row);
  await eventually(async () => chatCalls().length > 0);
  expect(lastUserText()).not.toContain('unheard');
  expect(await rowOf(row)).toMatchObject({ understood: 'failed', transcript: null });
});

test('gives a delegated conversation what was said', async () => {
  fixture.script({
    when: { system: 'You hold a WhatsApp conversation' },
    reply: calling('send_message', { text: 'When does it suit you?' }),
  });
  const id = await fixture.create(`+${ana.phone}`);
  await fixture.reaches(id, 'WAITING_FOR_REPLY');
  await fixture.forgetCalls();
  const { of, row } = await receives(ana, VOICE);
  await media.put({ chat: ana.chat, of, ...asVoice('Wednesday is better') }, row);
  // The turn may go on before this test looks.
  await eventually(async () => JSON.stringify(chatCalls()).includes('Wednesday is better'));
});

test('writes what was understood once, when its job is lost and runs again', async () => {
  verifies('MEDIA-UNDERSTOOD-ONCE');
  const stranger = await fixture.contact('Nobody', null);
  const of = await fixture.store(stranger.chat, stranger.contact, VOICE.body, new Date(), {
    kind: VOICE.kind,
  });
  let fails = true;
  const indexed: number[] = [];
  const deps = {
    ...media.deps,
    onUnderstood: async (_: unknown, { number }: { number: number }) => {
      if (fails) throw new Error('killed');
      indexed.push(number);
    },
  };
  const row = await media.put({ chat: stranger.chat, of, ...asVoice('once') });
  await eventually(async () => (await rowOf(row))?.understood === 'done');
  await fixture.sql(`UPDATE media SET understood = 'waiting', transcript = NULL WHERE id = $1`, [
    row,
  ]);
  const completed: number[] = [];
  const job = {
    attempt: 1,
    data: { account: fixture.account, subject: row },
    complete: async () => void completed.push(1),
  };
  await expect(onUnderstandJob(deps)(job, new AbortController().signal)).rejects.toThrow('killed');
  expect(await rowOf(row)).toMatchObject({ understood: 'waiting', transcript: null });
  fails = false;
  for (let again = 0; again < 2; again += 1)
    await onUnderstandJob(deps)(job, new AbortController().signal);
  expect(await rowOf(row)).toMatchObject({ understood: 'done', transcript: 'once' });
  expect(indexed).toEqual([of.message]);
});

test('counts transcription towards the budget of the day, and transcribes again when there is some left', async () => {
  verifies('MEDIA-VOICE-COST');
  const ben = await fixture.contact('Ben', null);
  const of = await fixture.store(ben.chat, ben.contact, VOICE.body, new Date(), {
    kind: VOICE.kind,
  });
  const spent = async () =>
    Number((await fixture.sql<{ sum: string }>('SELECT sum(micros) FROM spending'))[0]?.sum ?? 0);
  const before = await spent();
  const row = await media.put({ chat: ben.chat, of, ...asVoice('one second') });
  await eventually(async () => (await rowOf(row))?.understood === 'done');
  expect((await spent()) - before).toBe(10_000);

  await fixture.sql("UPDATE media SET understood = 'waiting', transcript = NULL WHERE id = $1", [
    row,
  ]);
  const calls = fixture.model.calls().length;
  const deps = { ...media.deps, budget: { ...media.deps.budget, usd_per_day: 0.001 } };
  const data = { account: fixture.account, subject: row };
  const job = { attempt: 1, data, complete: async () => {} };
  await onUnderstandJob(deps)(job, new AbortController().signal);
  expect(await rowOf(row)).toMatchObject({ understood: 'waiting', transcript: null });
  expect(fixture.model.calls()).toHaveLength(calls);

  await fixture.sql('UPDATE relay_jobs.job SET start_after = now() WHERE singleton_key = $1', [
    `${fixture.account}:${row}`,
  ]);
  fixture.engine.jobs.wake('understand');
  await eventually(async () => (await rowOf(row))?.understood === 'done');
  expect(await rowOf(row)).toMatchObject({ transcript: 'one second' });
});

test.each([
  [{ usd_per_minute: 0.6 }, 'Price of a minute of speech: 0.6 USD.'],
  [{}, 'unknown, so it counts as 0 USD. Set it with `transcription.usd_per_minute`.'],
  [{ endpoint_base_url: 'https://api.openai.com/v1' }, '0.01 USD, assumed. Set it with'],
])('says what a minute costs with the settings %j', async (given, sentence) => {
  verifies('MEDIA-VOICE-COST');
  const settings = transcriptionSchema.parse({ by: 'endpoint', model: 'whisper-1', ...given });
  const model = modelSettingsOf({ model_base_url: `${fixture.model.url}/v1` });
  const described = await describeTranscription(fixture.engine, settings, model);
  expect(described?.found).toContain(sentence);
});

test('finds every part of a long document and says what it is', async () => {
  verifies('MEDIA-SEARCH');
  const words = Array.from({ length: 3_000 }, (_, n) => `word${n}`).join(' ');
  const of = await fixture.store(ana.chat, ana.contact, PDF.body, new Date(), { kind: PDF.kind });
  const row = await media.put({
    chat: ana.chat,
    of,
    kind: 'document',
    mimeType: 'text/plain',
    fileName: 'list.txt',
    bytes: Buffer.from(words),
  });
  await eventually(async () => (await rowOf(row))?.understood === 'done');
  const [count] = await fixture.sql<{ pieces: number; deep: number }>(
    `SELECT count(*)::int AS pieces, count(*) FILTER (WHERE terms @@ format('''%s/word2990''', account_id)::tsquery)::int AS deep
     FROM search_documents WHERE source_kind = 'media' AND source_id LIKE $1`,
    [`${of.message}.%`],
  );
  expect(count?.pieces).toBeGreaterThan(10);
  expect(count?.deep).toBe(1);
  await fixture.sql('DELETE FROM messages WHERE id = $1', [of.message]);
  const left = await fixture.sql(
    `SELECT FROM search_documents WHERE source_kind = 'media' AND source_id LIKE $1`,
    [`${of.message}.%`],
  );
  expect(left).toEqual([]);
});

test('gives a digest what a voice message and a document in a group say', async () => {
  verifies('MEDIA-DIGEST');
  const [group] = await fixture.sql<{ id: ChatId }>(
    `INSERT INTO chats (account_id, kind, group_address, subject)
     VALUES ($1, 'group', '120363000000000001@g.us', 'Trip') RETURNING id`,
    [fixture.account],
  );
  const chat = group?.id as ChatId;
  await fixture.sql(
    `INSERT INTO observed_groups (account_id, chat_id, zone, since) VALUES ($1, $2, 'UTC', now() - interval '2 days')`,
    [fixture.account, chat],
  );
  await fixture.sql(
    'INSERT INTO grants (account_id, chat_id, can_read, can_reply) VALUES ($1, $2, true, false)',
    [fixture.account, chat],
  );
  const reader = { account: fixture.account, admins: [] };
  const said = async () =>
    (
      await observedMessagesBetween(fixture.database.kysely, reader, {
        chat,
        from: new Date(Date.now() - 3_600_000),
        to: new Date(Date.now() + 3_600_000),
      })
    ).map(({ message, verdict }) => [message.text, verdict?.category]);
  const voice = await fixture.store(chat, ana.contact, VOICE.body, new Date(Date.now() - 2_000), {
    kind: VOICE.kind,
  });
  const voiceRow = await media.await({ chat, of: voice, kind: 'voice' });
  await onRoute(fixture.conversations)({ data: voice, complete: async () => {} });
  expect(await said()).toEqual([['', 'media_only']]);
  await media.put(
    { chat, of: voice, ...asVoice('We meet at the station at 15:20 on Friday') },
    voiceRow,
  );
  const pdf = await fixture.store(chat, ana.contact, PDF.body, new Date(Date.now() - 1_000), {
    kind: PDF.kind,
  });
  const pdfRow = await media.await({ chat, of: pdf, kind: 'document' });
  await onRoute(fixture.conversations)({ data: pdf, complete: async () => {} });
  await media.put({ chat, of: pdf, ...asPdf('Flight 15:40 from Lisbon') }, pdfRow);
  await eventually(async () => (await rowOf(pdfRow))?.understood === 'done');
  await eventually(async () => (await rowOf(voiceRow))?.understood === 'done');
  expect(await said()).toEqual([
    ['(written down by a machine) We meet at the station at 15:20 on Friday', 'content'],
    ['ticket.pdf\n(text of the document) Flight 15:40 from Lisbon', 'content'],
  ]);
});

// The owner's own voice.

async function says(words: string): Promise<MessageId> {
  const chat = fixture.own as ChatId;
  const of = await fixture.store(chat, null, VOICE.body, fixture.conversations.now(), {
    kind: VOICE.kind,
  });
  const row = await media.await({ chat, of, kind: 'voice' });
  await onRoute(fixture.conversations)({ data: of, complete: async () => {} });
  await media.put({ chat, of, ...asVoice(words) }, row);
  const [message] = await fixture.sql<{ message_id: MessageId }>(
    'SELECT message_id FROM messages WHERE id = $1',
    [of.message],
  );
  return message?.message_id as MessageId;
}

const waiting = () => fixture.approvals.list('pending');

test('takes a voice message of the owner as their words and shows what it understood before anything happens', async () => {
  verifies('MEDIA-OWNERS-VOICE');
  fixture.script({
    when: { contains: 'tell ana that I am late' },
    reply: calling('send_message', { phone_number: ana.id, message: 'I am late' }),
  });
  await says('Please tell Ana that I am late');
  await eventually(async () => (await waiting()).length > 0);
  expect(await waiting()).toMatchObject([
    {
      kind: 'send_message',
      text: 'I am late',
      reason_code: 'spoken',
      spoken: 'Please tell Ana that I am late',
    },
  ]);
  expect((await fixture.sent()).filter(({ chat }) => chat === ana.chat)).toEqual([]);
  await eventually(async () =>
    (await fixture.sent()).some(({ body }) => body.includes('Understood:')),
  );
  const notice = (await fixture.sent()).find(({ body }) => body.includes('Understood:'));
  expect(notice?.body).toContain('│ Please tell Ana that I am late');
  const [{ message_id: on } = { message_id: '' }] = await fixture.sql<{ message_id: string }>(
    `SELECT message_id FROM outbox WHERE body LIKE '%Understood:%'`,
  );
  await fixture.types('👍', fixture.conversations.now(), { reaction: { emoji: '👍', on } });
  await eventually(async () =>
    (await fixture.sent()).some(({ chat, body }) => chat === ana.chat && body === 'I am late'),
  );
});

test('asks before a spoken reminder too, and answers a spoken question at once', async () => {
  verifies('MEDIA-OWNERS-VOICE');
  await fixture.sql(`UPDATE approvals SET state = 'expired' WHERE state = 'pending'`);
  fixture.script({ when: { contains: 'what is the capital' }, reply: { text: 'Lisbon.' } });
  await says('What is the capital of Portugal?');
  await eventually(async () =>
    (await fixture.sent()).some(({ body }) => body.startsWith('Lisbon.')),
  );
  expect(await waiting()).toEqual([]);
});

test('never takes a voice message for a command', async () => {
  verifies('MEDIA-OWNERS-VOICE');
  await says('/stop');
  await eventually(async () => chatCalls().length > 0);
  const lines = await fixture.lines();
  expect(lines.filter(({ command }) => command).map(({ content }) => content)).not.toContain(
    '/stop',
  );
});
