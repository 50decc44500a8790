// A hundred thousand messages of five hundred people: how fast they become searchable, and how long a query takes for
// the owner, for the assistant with grants, and for a session bound to one chat.
import type { ChatId } from '@relay/contract/ids';
import type { SearchScope } from '@relay/daemon/features/search/scope';
import { openChatter, type Person } from '@relay/daemon/features/search/testing/chatter';
import { type Limit, quantile } from './figures.ts';
import { question, random, text, word } from './memory/vocabulary.ts';
import { openStore } from './store.ts';

const MESSAGES = 100_000;
const PEOPLE = 500;
const QUESTIONS = 300;
const YEAR_MS = 365 * 86_400_000;

export async function benchSearch(): Promise<readonly Limit[]> {
  const store = await openStore();
  try {
    const chatter = await openChatter(store);
    const chats = await fill(chatter);
    const began = performance.now();
    chatter.indexer.start();
    await chatter.indexer.caughtUp();
    const seconds = (performance.now() - began) / 1_000;
    await chatter.indexer.stop();
    await store.sql('VACUUM ANALYZE');
    for (const chat of chats.slice(0, PEOPLE / 2)) await chatter.grantChat(chat);
    const ask = async (scope: SearchScope): Promise<number[]> => {
      const taken: number[] = [];
      for (let n = 0; n < QUESTIONS; n++) {
        const asked = question();
        const start = performance.now();
        await chatter.search.search(scope, asked);
        taken.push(performance.now() - start);
      }
      return taken;
    };
    await ask({ kind: 'owner' });
    const [chat] = chats;
    if (chat === undefined) throw new Error('nobody talks');
    return [
      { name: 'messages indexed', measured: MESSAGES / seconds, unit: '/s', atLeast: 1_000 },
      ...timed('owner', await ask({ kind: 'owner' }), 50),
      ...timed('assistant, half of the chats', await ask({ kind: 'assistant' }), 50),
      ...timed('one chat', await ask({ kind: 'chat', chat }), 50),
    ];
  } finally {
    await store.close();
  }
}

const timed = (who: string, taken: readonly number[], atMost: number): readonly Limit[] => [
  {
    name: `search of ${MESSAGES}, ${who}, p50`,
    measured: quantile(taken, 0.5),
    unit: 'ms',
    atMost,
  },
  { name: `search of ${MESSAGES}, ${who}, p95`, measured: quantile(taken, 0.95), unit: 'ms' },
];

async function fill(chatter: Awaited<ReturnType<typeof openChatter>>): Promise<ChatId[]> {
  console.log(`writing ${MESSAGES} messages …`);
  const people: Person[] = [];
  for (let n = 0; n < PEOPLE; n++) people.push(await chatter.person(`${word(n)} ${word(n + 1)}`));
  const now = Date.now();
  for (let from = 0; from < MESSAGES; from += 1_000) {
    await chatter.say(
      ...Array.from({ length: 1_000 }, (_, n) => {
        const { chat, contact } = people[Math.floor(random() * PEOPLE)] as Person;
        const at = new Date(now - YEAR_MS * (1 - (from + n) / MESSAGES));
        return { chat, by: random() < 0.5 ? contact : null, text: text(), at };
      }),
    );
  }
  return people.map(({ chat }) => chat);
}
