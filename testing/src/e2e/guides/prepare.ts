// Prepares the demo for the commands of each page: a linked account, the people, their messages, and the model's
// answers. A page that is not listed here has no commands that run.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RuleInput } from '@relay/simulator/model/schemas';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import type { GuideShell } from './shell.ts';

export const ANA = '491701234567';
const BEN = '4917198765432';
const MOM = '14155551234';
const VOICE = new URL('../../../../packages/simulator/src/phone/page/dinner.ogg', import.meta.url);

export interface Preparation {
  readonly page: string;
  /** Patterns that differ in this page's home. */
  readonly own?: readonly RegExp[];
  /** Uses a server in the home itself, because the page shows it. */
  readonly privateServer?: true;
  prepare(demo: Demo, place: GuideShell): Promise<void>;
  /** Runs before a command, found by its beginning. */
  readonly before?: Readonly<Record<string, (demo: Demo) => Promise<unknown>>>;
  /** The exit code of a command, found by its beginning; 0 for all others. */
  readonly exits?: Readonly<Record<string, number>>;
}

type Calls = NonNullable<RuleInput['reply']['tool_calls']>;

const rule = (contains: string, ...calls: Calls): RuleInput => ({
  when: { contains },
  reply: { tool_calls: calls },
});

const send = (text: string): Calls[number] => ({ name: 'send_message', arguments: { text } });

/** Exit code of `relay create --wait` when the agent needs the owner. */
const NEEDS_OWNER = 10;

const QUESTION =
  'Hello Ben, this is the assistant of Ana. What would a new kitchen tap cost, fitted?';
const REMINDER = 'Hello Ben, did you see my question about the tap?';
const OFFER = '180 euros, fitted. I could come on Friday at ten.';
/** What the owner sends with `relay send`. */
const ACCEPTED = '180 euros is fine. See you on Friday at ten.';

/**
 * The conversation about the tap: Ben names a price and a day, at once or after a follow-up. The agent marks these
 * todos and asks the owner, who accepts.
 */
function aboutTheTap(
  demo: Demo,
  { afterFollowUp, todos }: { readonly afterFollowUp: boolean; readonly todos: readonly string[] },
): void {
  const marks = todos.map((todo_id) => ({
    name: 'mark_todo_item',
    arguments: { todo_id, status: 'completed' },
  }));
  demo.model.rules([
    rule('Good, see you on Friday.', send('Thank you, Ben!'), {
      name: 'end_conversation',
      arguments: { reason: 'Ben comes on Friday at ten for 180 euros.' },
    }),
    rule(OFFER, ...marks, send('Thank you, Ben. I will ask Ana and come back to you.'), {
      name: 'request_human_intervention',
      arguments: { reason: 'Ben asks 180 euros and can come on Friday at ten. Do you accept?' },
    }),
    // After the owner's message the agent waits for the reply.
    rule('Purpose of this turn: continue', {
      name: 'schedule_next_heartbeat',
      arguments: { delay: 3_600_000 },
    }),
    rule('Purpose of this turn: follow_up', send(REMINDER)),
    rule('Purpose of this turn: first_message', send(QUESTION)),
  ]);
  answer(demo, BEN, {
    ...(afterFollowUp
      ? { [REMINDER]: `Sorry, I was under a sink. ${OFFER}` }
      : { [QUESTION]: OFFER }),
    [ACCEPTED]: 'Good, see you on Friday.',
  });
}

/** Makes somebody answer each of these messages once; ends with the network. */
function answer(demo: Demo, phone: string, lines: Readonly<Record<string, string>>): void {
  const hear = async () => {
    for (const [heard, said] of Object.entries(lines)) {
      await eventually(
        heard,
        async () => (await demo.phones.received(phone, ANA)).find(({ text }) => text === heard),
        240_000,
      );
      await demo.phones.send(phone, ANA, said);
    }
  };
  hear().catch(() => {});
}

/**
 * Sends it and waits until Relay has it; the next is sent in another second, because messages are ordered by second.
 */
async function arrives(
  { phones, relay }: Demo,
  from: string,
  text: string,
  to = ANA,
): Promise<void> {
  await phones.send(from, to, text);
  await eventually(text, async () =>
    (await relay.messages({ limit: 100 })).find(({ body }) => body === text),
  );
  await sleep(1_100);
}

/** Three lines of a chat, the last of all messages. */
async function talkAboutFriday(demo: Demo): Promise<void> {
  await arrives(demo, BEN, 'Can you come on Friday at ten?');
  await demo.relay.send(`+${BEN}`, 'Friday at ten is fine.');
  await demo.phones.sees(BEN, { text: 'Friday at ten is fine.', status: 'received' });
  await sleep(1_100);
  await arrives(demo, BEN, 'See you then!');
}

async function momAsks(demo: Demo): Promise<void> {
  demo.model.rules([{ reply: { text: 'Yes, at four. I bring the cake.' } }]);
  await arrives(demo, MOM, 'Are you coming on Sunday?');
  await eventually('a draft', async () => {
    const waiting = await demo.relay.ok<unknown[]>('GET', '/api/approvals');
    return waiting.length > 0 || undefined;
  });
}

/** The one open conversation waits for its contact, so every command is possible. */
const hasAsked = ({ relay }: Demo) =>
  eventually('the first message', async () => {
    const found = await relay.ok<unknown[]>('GET', '/api/instances?state=WAITING_FOR_REPLY');
    return found.length > 0 || undefined;
  });

/** The search index follows the messages a little later. */
const isFound = ({ relay }: Demo) =>
  eventually('the boiler', async () => {
    const { hits } = await relay.ok<{ hits: unknown[] }>('GET', '/api/search?q=boiler');
    return hits.length > 0 || undefined;
  });

/** The approved draft has arrived. */
const momHears = (demo: Demo) =>
  demo.phones.sees(MOM, { text: 'Yes, at four. I bring the cake.', status: 'received' });

async function family({ phones }: Demo): Promise<void> {
  await phones.add(MOM, 'Mom');
  await phones.add(BEN, 'Ben');
}

/** Its name is known as soon as somebody has written there. */
async function holliday(demo: Demo): Promise<void> {
  await family(demo);
  const group = await demo.phones.group('Holliday', MOM, [ANA, BEN]);
  await arrives(demo, MOM, 'Dinner is at seven on Saturday, please bring a salad.', group);
}

export const PAGES: readonly Preparation[] = [
  {
    page: 'README.md',
    async prepare(demo) {
      await family(demo);
      aboutTheTap(demo, { afterFollowUp: false, todos: [] });
    },
    exits: { 'relay create --wait': NEEDS_OWNER },
  },
  {
    page: 'docs/guides/approve.md',
    prepare: family,
  },
  {
    page: 'docs/guides/backup.md',
    prepare: family,
  },
  {
    page: 'docs/guides/clients.md',
    prepare: family,
  },
  {
    page: 'docs/guides/delegate.md',
    async prepare(demo) {
      await family(demo);
      aboutTheTap(demo, { afterFollowUp: true, todos: ['1', '2'] });
    },
    before: {
      'export id': async ({ model }) => {
        model.rules([]);
        model.rules([rule('first_message', send('Hello Ben, it is about the gutters.'))]);
      },
      'relay pause': hasAsked,
    },
    exits: { 'relay create --template': NEEDS_OWNER },
  },
  {
    page: 'docs/guides/digests.md',
    prepare: holliday,
  },
  {
    page: 'docs/guides/drafts.md',
    prepare: family,
    before: { 'relay approvals': askOnce(), 'relay messages': momHears },
  },
  {
    page: 'docs/guides/link.md',
    prepare: family,
  },
  {
    page: 'docs/guides/mcp.md',
    prepare: family,
  },
  {
    page: 'docs/guides/messages.md',
    async prepare(demo, place) {
      await family(demo);
      await place.file('ticket.pdf', '%PDF-1.4\n');
      await place.file('hello.ogg', await readFile(VOICE));
    },
    before: { 'relay messages -n': talkAboutFriday },
  },
  {
    page: 'docs/guides/people.md',
    async prepare(demo) {
      await family(demo);
      await arrives(demo, BEN, 'Are you at the gym tonight?');
      await arrives(demo, MOM, 'Are you coming on Sunday?');
    },
  },
  {
    page: 'docs/guides/search.md',
    async prepare(demo) {
      await family(demo);
      await arrives(demo, MOM, 'The boiler pressure is low again.');
    },
    before: { 'relay search boiler pressure': isFound },
  },
  {
    page: 'docs/guides/webhooks.md',
    prepare: family,
  },
  {
    page: 'docs/start.md',
    prepare: family,
    before: { 'relay approvals': askOnce() },
  },
];

/** Mom asks once, before the approvals are listed for the first time. */
function askOnce(): (demo: Demo) => Promise<void> {
  let asked = false;
  return async (demo) => {
    if (asked) return;
    asked = true;
    await momAsks(demo);
  };
}
