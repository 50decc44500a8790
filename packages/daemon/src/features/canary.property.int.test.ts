// Property test of taint: every text of others that Relay can meet contains its own canary, in random scenarios. Every
// model request with a canary must belong to a run whose taint names the canary's source, and no instructions may
// contain one. The model repeats every canary it sees, so that it continues into answers, digests and the next turn.
import { randomUUID } from 'node:crypto';
import type { ChatId, InstanceId, RequestId, RunId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import { isTaintWithin, type Taint, UNTAINTED } from '@relay/core/policy/facts';
import { textInPicture, wordsInFile } from '@relay/simulator/model/media';
import type { ChatRequest, Reply } from '@relay/simulator/model/schemas';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { Gate } from '../pipeline/gate/gate.ts';
import { onRoute } from '../pipeline/router/router.ts';
import { putObserverRequest } from '../platform/db/observer/requests.ts';
import { createChatSummaryService } from './assistant/service.ts';
import {
  ALL,
  type AssistantFixture,
  type Contact,
  openAssistantFixture,
} from './assistant/testing/fixture.ts';
import { createAutoReplyAgent } from './auto-reply/agent.ts';
import { openAutoReply } from './auto-reply/feature.ts';
import { createConversationAgent } from './conversations/agent.ts';
import { onGroupAnswer } from './group-answers/turn.ts';
import { pdfPage } from './media/testing/hostile-files.ts';
import { type MediaFixture, openMediaFixture } from './media/testing/stored-media.ts';
import { onDigestJob } from './observer/digest/digest-job.ts';
import { onTriggerJob } from './observer/trigger.ts';
import type { MessageHit } from './search/search.ts';

const WORLDS = process.env.PROPERTY_RUNS ? 250 : 25;
const CANARY = /CANARY-[0-9a-f]{8}/g;

let fixture: AssistantFixture;
let media: MediaFixture;
let plan: readonly string[] = [];
const sources = new Map<string, Taint>();

/** A unique text of this source. */
function canary(from: Partial<Taint>): string {
  const word = `CANARY-${randomUUID().slice(0, 8)}`;
  sources.set(word, { ...UNTAINTED, ...from });
  return word;
}

const seenIn = (value: unknown): string[] => {
  const text = JSON.stringify(value);
  const pictures = text.match(/data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+/g) ?? [];
  return [text, ...pictures.map(textInPicture)].join(' ').match(CANARY) ?? [];
};

/** Calls the planned tools, then repeats every canary in the requested form. */
function repeats(request: ChatRequest): Reply {
  const system = JSON.stringify(request.messages.filter(({ role }) => role === 'system'));
  const said = [...new Set(seenIn(request.messages))].join(' ');
  const called = request.messages.some(({ role }) => role === 'tool');
  if (system.includes('You sort messages')) return { text: '{"label": "direct_request"}' };
  if (system.includes('You sum up one hour')) return { text: JSON.stringify({ digest: said }) };
  if (system.includes('You sum up one day')) return { text: JSON.stringify({ summary: said }) };
  if (system.includes('You hold a WhatsApp conversation'))
    return called
      ? { text: 'Done.' }
      : { tool_calls: [{ name: 'send_message', arguments: { text: `Hello ${said}` } }] };
  const offered = (request.tools ?? []).map(({ function: { name } }) => name);
  const planned = plan.filter((name) => offered.includes(name));
  if (called || planned.length === 0) return { text: `I read ${said}` };
  return { tool_calls: planned.map((name) => ({ name, arguments: ARGUMENTS[name]?.() ?? {} })) };
}

let mom: Contact;
const ARGUMENTS: Readonly<Record<string, () => Record<string, unknown>>> = {
  search_messages: () => ({ query: 'anything' }),
  summarize_chat: () => ({ phone_number: mom.id }),
  search_group: () => ({ query: 'anything' }),
};
const TOOLS = [
  'get_chats',
  'whatsapp_read_messages',
  'search_messages',
  'summarize_chat',
  'get_digest',
  'list_scheduled_tasks',
  'whatsapp_list_permissions',
];

beforeAll(async () => {
  const readPhoto = (object: string) => media.readPhoto(object);
  fixture = await openAssistantFixture({ readPhoto });
  fixture.model.play(repeats);
  // A different contact than that of the retrieved messages.
  const stranger = await person(true);
  Object.assign(fixture.engine.search, { search: async () => [hitOf(stranger)] });
  const { models, clock } = fixture.engine;
  media = await openMediaFixture(fixture.engine, { server: `${fixture.model.url}/v1` });
  media.work();
  const thinking = {
    models,
    clock,
    limits: fixture.settings.agent,
    log: fixture.conversations.log,
    readPhoto,
  };
  fixture.agent(createConversationAgent(thinking));
  const replying = { ...fixture.conversations, settings: fixture.settings, zone: 'UTC' };
  await openAutoReply(replying).start(createAutoReplyAgent(thinking));
});

/** The kinds of messages, each with text of its sender. */
const KINDS = [
  ...['text', 'caption', 'document', 'contact', 'poll', 'location', 'forwarded', 'quoted'],
  ...['voice', 'photo', 'pdf'],
];

/** The media of a message, with words that only whoever hears, sees or reads it knows. */
function mediaOf(kind: string, words: string) {
  const said = wordsInFile(words);
  switch (kind) {
    case 'voice':
      return {
        kind,
        mimeType: 'audio/ogg',
        bytes: Buffer.concat([Buffer.from('OggS'), said]),
      } as const;
    case 'photo':
      return { kind: 'image', mimeType: 'image/png', bytes: said } as const;
    case 'pdf':
      return {
        kind: 'document',
        mimeType: 'application/pdf',
        fileName: `${words}.pdf`,
        bytes: pdfPage(words),
      } as const;
    default:
      return null;
  }
}

async function writes({ chat, contact }: Contact, kind: string): Promise<void> {
  const word = canary({ chats: [chat] });
  const body = {
    text: word,
    caption: `[Image] ${word}`,
    document: `[Document] ${word}.pdf`,
    contact: `[Contact] ${word}`,
    poll: `[Poll] ${word}\n- ${canary({ chats: [chat] })}`,
    location: `[Location] ${word}`,
    forwarded: word,
    quoted: `> ${canary({ chats: [chat] })}\n${word}`,
    voice: '[Audio message]',
    photo: '[Image]',
    pdf: '[Document] a file',
  }[kind];
  const content = { forwarded: kind === 'forwarded', kind: KIND_OF[kind] ?? 'conversation' };
  const data = await fixture.store(chat, contact, body ?? word, new Date(), content);
  const file = mediaOf(kind, word);
  if (file !== null) await media.put({ chat, of: data, ...file });
  await onRoute(fixture.conversations)({ data, complete: async () => {} });
}
const KIND_OF: Readonly<Record<string, string>> = {
  document: 'documentMessage',
  voice: 'audioMessage',
  photo: 'imageMessage',
  pdf: 'documentMessage',
  contact: 'contactMessage',
};

const OWN_BODIES: Readonly<Record<string, string>> = {
  voice: '[Audio message]',
  photo: '[Image] what is this?',
  pdf: '[Document] a file',
};

/** A contact whom the owner gave a name, or whom they know only by number. */
async function person(named: boolean): Promise<Contact> {
  const made = await fixture.contact('Somebody', ALL);
  const calls = canary({ chats: [made.chat] });
  await fixture.sql('UPDATE contacts SET push_name = $2, display_name = $3 WHERE id = $1', [
    made.contact,
    calls,
    canary({ chats: [made.chat] }),
  ]);
  if (!named)
    await fixture.sql('UPDATE grants SET display_name = NULL WHERE contact_id = $1', [
      made.contact,
    ]);
  return made;
}

async function group(): Promise<ChatId> {
  const [row] = await fixture.sql<{ id: ChatId }>(
    `INSERT INTO chats (account_id, kind, group_address, subject) VALUES ($1, 'group', $2, '') RETURNING id`,
    [fixture.account, `${Math.floor(Math.random() * 1e15)}@g.us`],
  );
  if (row === undefined) throw new Error('no group');
  const chat = row.id;
  await fixture.sql('UPDATE chats SET subject = $2 WHERE id = $1', [
    chat,
    canary({ chats: [chat] }),
  ]);
  await fixture.sql(
    `INSERT INTO grants (account_id, chat_id, can_read, can_reply) VALUES ($1, $2, true, true)`,
    [fixture.account, chat],
  );
  await fixture.sql(
    `INSERT INTO observed_groups (account_id, chat_id, zone, since) VALUES ($1, $2, 'UTC', now() - interval '2 days')`,
    [fixture.account, chat],
  );
  const member = await person(false);
  for (const minutes of [90, 80, 1]) {
    const at = new Date(Date.now() - minutes * 60_000);
    const body = canary({ chats: [chat] });
    const { message } = await fixture.store(chat, member.contact, body, at);
    await fixture.sql(
      `INSERT INTO observed_messages (account_id, chat_id, message, sent_at, category, noise, tokens)
       VALUES ($1, $2, $3, $4, 'content', false, 9)`,
      [fixture.account, chat, message, at],
    );
  }
  // Group members are shown by the names they chose themselves.
  for (const word of seenIn(
    await fixture.sql('SELECT push_name, display_name FROM contacts WHERE id = $1', [
      member.contact,
    ]),
  ))
    sources.set(word, { ...UNTAINTED, chats: [chat] });
  return chat;
}

/** Waits until the agents' queues are empty. */
const settled = () =>
  eventually(async () => {
    const open = await fixture.sql(
      `SELECT FROM relay_jobs.job WHERE state < 'completed'
        AND name IN ('assistant', 'auto_reply', 'conversation')`,
    );
    return open.length === 0;
  });

const job = <Subject>(subject: Subject) =>
  ({
    id: 'job',
    attempt: 1,
    data: { account: fixture.account, subject },
    complete: async () => {},
  }) as never;
const never = new AbortController().signal;

/** Ways in which text of others can reach a model. */
const STEPS: Readonly<Record<string, (kind: string) => Promise<void>>> = {
  async autoReply(kind) {
    await writes(await person(kind.length % 2 === 0), kind);
    await settled();
  },
  async conversation() {
    const contact = await person(false);
    const id = await fixture.create(`+${contact.phone}`);
    await fixture.reaches(id, 'WAITING_FOR_REPLY');
    await fixture.reply(id, canary({ chats: [contact.chat] }));
    await fixture.quiet();
  },
  async conversationOfAProgram() {
    const contact = await person(true);
    const token = randomUUID();
    const from = { clients: [token] };
    await fixture.hold();
    const id: InstanceId = await fixture.create(`+${contact.phone}`, {}, canary(from));
    await fixture.sql(`UPDATE instances SET created_by = $2, options = $3 WHERE id = $1`, [
      id,
      `token:${token}`,
      { facts: [canary(from)] },
    ]);
    await fixture.release();
    await fixture.quiet();
  },
  async assistant(kind) {
    mom = await person(kind === 'poll');
    await fixture.store(mom.chat, mom.contact, canary({ chats: [mom.chat] }));
    fixture.found.splice(0, fixture.found.length, hitOf(mom));
    await fixture.asks('What is new?');
    await check('assistant');
    // The answer, with what it repeats, is part of the next turn.
    fixture.found.length = 0;
    plan = [];
    await fixture.asks('And what else?');
  },
  async ownersChat(kind) {
    const passedOn = canary({ chats: [fixture.own] });
    const file = mediaOf(kind, passedOn);
    if (file !== null) {
      const chat = fixture.own as ChatId;
      const of = await fixture.store(chat, null, OWN_BODIES[kind] ?? '', new Date(), {
        kind: KIND_OF[kind] ?? '',
      });
      await media.put({ chat, of, ...file });
      await onRoute(fixture.conversations)({ data: of, complete: async () => {} });
      return settled();
    }
    const content = kind === 'document' ? { kind: 'documentMessage' } : { forwarded: true };
    await fixture.asks(`[Document] ${passedOn}.pdf`, new Date(), content);
  },
  async schedules() {
    const [to, token] = [await person(true), randomUUID()];
    const text = canary({ clients: [token] });
    const when = '2030-03-01 09:00';
    const { id } = await fixture.schedules.service.create({ to: `+${to.phone}`, when, text });
    await fixture.sql('UPDATE schedules SET created_by = $2 WHERE id = $1', [id, `token:${token}`]);
    fixture.found.length = 0;
    plan = ['list_scheduled_tasks'];
    await fixture.asks('What is scheduled?');
  },
  async digests() {
    const chat = await group();
    const deps = { ...fixture.engine, settings: fixture.settings };
    await onDigestJob(deps)(job(chat), never);
    await check('digests');
    fixture.found.length = 0;
    plan = ['get_digest'];
    await fixture.asks('What was said?');
  },
  async groupAnswer() {
    const chat = await group();
    const sentAt = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const { message } = await fixture.store(chat, null, 'Annie, what is the plan?', sentAt);
    const place = { chat, number: message, sentAt };
    const request = await fixture.database.kysely
      .transaction()
      .execute((tx) => putObserverRequest(tx, fixture.account, place, null));
    const { account, settings } = fixture;
    const pacing = pacingSchema.parse({ enabled: false });
    const gate = new Gate({ account, pacing, observer: settings.observer, wakeOutbox: () => {} });
    const search = { ...fixture.engine.search, search: async () => [hitOf({ chat })] };
    const observing = { ...fixture.engine, gate, search, settings, admins: [] };
    plan = ['search_group'];
    await onTriggerJob(observing)(job(request as RequestId), never);
    await check('trigger');
    await onGroupAnswer(observing)(job(request as RequestId), never);
  },
  async program() {
    const { chat } = await person(true);
    const summarise = await createChatSummaryService(fixture.engine).begin('token:a', chat, never);
    const line = {
      at: new Date(),
      who: canary({ chats: [chat] }),
      text: canary({ chats: [chat] }),
    };
    await summarise('Somebody', [line]);
  },
};

function hitOf({ chat }: Pick<Contact, 'chat'>): MessageHit {
  return {
    chat,
    at: new Date(),
    senderName: canary({ chats: [chat] }),
    text: canary({ chats: [chat] }),
    isSure: true,
    rank: 1,
  } as MessageHit;
}

interface Run {
  readonly id: RunId;
  readonly actor: string;
  readonly taint: Taint;
}

let canariesSeen = 0;
let runsBefore: readonly Run[] = [];

/** Checks the model requests since the last check against the runs that began since then, which are of one agent. */
async function check(step: string): Promise<void> {
  const calls = fixture.calls();
  for (const { messages } of calls) {
    const instructions = messages.filter(({ role }) => role === 'system');
    expect(seenIn(instructions), `${step}: in the instructions`).toEqual([]);
  }
  const seen = [...new Set(seenIn(calls))];
  expect(seen.length, `${step} shows text of others`).toBeGreaterThan(0);
  const all = await runs();
  const made = all.filter(({ id }) => !runsBefore.some((run) => run.id === id));
  const unknown = seen.filter((word) => !made.some(({ taint }) => knows(taint, word)));
  const shown = unknown.map((word) => [word, sources.get(word)]);
  expect({ shown, runs: shown.length === 0 ? [] : made }, step).toEqual({ shown: [], runs: [] });
  canariesSeen += seen.length;
  await fixture.forgetCalls();
  runsBefore = all;
}

function knows(taint: Taint, word: string): boolean {
  const from = sources.get(word);
  return from !== undefined && isTaintWithin(from, taint);
}

test(`in ${WORLDS} random scenarios the taint of a run covers all text of others its model sees`, {
  timeout: WORLDS * 5_000,
}, async () => {
  verifies('TRUST-CANARIES');
  verifies('MEDIA-TAINT');
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...Object.keys(STEPS)), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...KINDS),
      fc.shuffledSubarray(TOOLS, { minLength: 1 }),
      async (steps, kind, tools) => {
        await fixture.sql('DELETE FROM spending');
        await fixture.asks('/new');
        for (const step of steps) {
          plan = tools;
          await fixture.forgetCalls();
          runsBefore = await runs();
          await STEPS[step]?.(kind);
          await check(step);
        }
      },
    ),
    { numRuns: WORLDS },
  );
  expect(canariesSeen).toBeGreaterThan(WORLDS);
});

const runs = () => fixture.sql<Run>('SELECT id, actor, taint FROM runs');
