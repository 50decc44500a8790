// A million messages of five hundred people, with vectors: how long a query by words and meaning takes, beside its own
// bare SQL; and the cost of storing a message now and at ten thousand messages. A real model would need eight hours for
// a million texts, so their vectors are synthetic; the query's own comes from the real model, timed separately.
import type { ChatId } from '@relay/contract/ids';
import type { SearchScope } from '@relay/daemon/features/search/scope';
import { openChatter, type Person } from '@relay/daemon/features/search/testing/chatter';
import { localEmbedder } from '@relay/daemon/models/embed/embedders';
import { type Limit, median, quantile } from './figures.ts';
import { listenTo, type Statements } from './memory/statements.ts';
import { madeUpEmbedder, question, random, text, word } from './memory/vocabulary.ts';
import { openStore } from './store.ts';

const FEW = 10_000;
const PEOPLE = 500;
const QUESTIONS = 200;
const YEAR_MS = 365 * 86_400_000;
/** Messages written at once while the history is created, and when the cost of one is measured. */
const BATCH = 2_000;
const MEASURED = 500;
const ROUNDS = 20;

type Chatter = Awaited<ReturnType<typeof openChatter>>;

export async function benchMemory(messages = 1_000_000): Promise<readonly Limit[]> {
  const store = await openStore();
  try {
    const embedder = madeUpEmbedder();
    const statements = listenTo(store.database);
    const chatter = await openChatter(store, { embedder: async () => embedder });
    const { indexer, vectors } = chatter;
    indexer.start();
    vectors.follower.start();
    const people: Person[] = [];
    for (let n = 0; n < PEOPLE; n++) people.push(await chatter.person(`${word(n)} ${word(n + 1)}`));
    const history = historian(chatter, people, messages);
    await history.write(FEW);
    await store.sql('VACUUM ANALYZE');
    const few = await history.costs();
    await history.write(messages - FEW);
    await store.sql('VACUUM ANALYZE');
    const many = await history.costs();
    for (const { chat } of people.slice(0, PEOPLE / 2)) await chatter.grantChat(chat);
    const chat = people[0]?.chat as ChatId;
    const scopes: readonly (readonly [string, SearchScope])[] = [
      ['owner', { kind: 'owner' }],
      ['assistant, half of the chats', { kind: 'assistant' }],
      ['one chat', { kind: 'chat', chat }],
    ];
    const asked: Limit[] = [];
    for (const [who, scope] of scopes) asked.push(...(await ask(chatter, statements, who, scope)));
    await vectors.follower.stop();
    await indexer.stop();
    return [...asked, ...costs(few, many), ...(await machine())];
  } finally {
    await store.close();
  }
}

interface Costs {
  readonly write: number;
  readonly index: number;
  readonly vector: number;
}

function historian({ say, indexer, vectors }: Chatter, people: readonly Person[], all: number) {
  const began = Date.now();
  let written = 0;
  const batch = async (count: number) => {
    const lines = Array.from({ length: count }, () => {
      const { chat, contact } = people[Math.floor(random() * PEOPLE)] as Person;
      const at = new Date(began - YEAR_MS * Math.max(0, 1 - ++written / all));
      return { chat, by: random() < 0.5 ? contact : null, text: text(), at };
    });
    await say(...lines);
  };
  const settled = async () => {
    await indexer.caughtUp();
    await vectors.follower.caughtUp();
  };
  return {
    async write(count: number) {
      console.log(`writing ${count} messages …`);
      for (let left = count; left > 0; left -= BATCH) await batch(Math.min(BATCH, left));
      await settled();
    },
    /** Milliseconds per message, measured several times. */
    async costs(): Promise<readonly Costs[]> {
      const rounds: Costs[] = [];
      for (let n = 0; n < ROUNDS; n++) {
        const start = performance.now();
        await batch(MEASURED);
        const stored = performance.now();
        await indexer.caughtUp();
        const indexed = performance.now();
        await vectors.follower.caughtUp();
        const done = performance.now();
        const each = (from: number, to: number) => (to - from) / MEASURED;
        rounds.push({
          write: each(start, stored),
          index: each(stored, indexed),
          vector: each(indexed, done),
        });
      }
      return rounds;
    },
  };
}

function costs(few: readonly Costs[], many: readonly Costs[]): readonly Limit[] {
  const whole = ({ write, index, vector }: Costs) => write + index + vector;
  const ms = (of: readonly Costs[], what: (each: Costs) => number) => median(of.map(what));
  const part = (name: string, what: (each: Costs) => number): readonly Limit[] => [
    { name: `taking in a message at ${FEW}: ${name}`, measured: ms(few, what), unit: 'ms' },
    { name: `taking in a message at the end: ${name}`, measured: ms(many, what), unit: 'ms' },
  ];
  return [
    ...part('stored', ({ write }) => write),
    ...part('indexed', ({ index }) => index),
    ...part('vector kept', ({ vector }) => vector),
    {
      name: `cost of a message at the end ÷ at ${FEW}`,
      measured: ms(many, whole) / ms(few, whole),
      unit: '×',
      atMost: 1.2,
    },
  ];
}

async function ask(
  { search, vectors }: Chatter,
  statements: Statements,
  who: string,
  scope: SearchScope,
): Promise<readonly Limit[]> {
  const whole: number[] = [];
  const bare: number[] = [];
  const near: number[] = [];
  for (let n = -QUESTIONS / 4; n < QUESTIONS; n++) {
    const words = question();
    const said = await statements.of(() => search.search(scope, words));
    const taken = [
      await timed(() => search.search(scope, words)),
      await timed(() => statements.bare(said)),
      await timed(() => vectors.nearest(words, { chats: 'all', limit: 50 })),
    ] as const;
    // The first ones are a warm-up.
    if (n < 0) continue;
    whole.push(taken[0]);
    bare.push(taken[1]);
    near.push(taken[2]);
  }
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  return [
    { name: `question of ${who}, p50`, measured: quantile(whole, 0.5), unit: 'ms' },
    { name: `question of ${who}, p95`, measured: quantile(whole, 0.95), unit: 'ms', atMost: 50 },
    { name: `its SQL bare, p95`, measured: quantile(bare, 0.95), unit: 'ms' },
    { name: `the whole ÷ its SQL bare`, measured: sum(whole) / sum(bare), unit: '×', atMost: 1.2 },
    { name: `of it the nearest by vectors, p95`, measured: quantile(near, 0.95), unit: 'ms' },
  ];
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function machine(): Promise<readonly Limit[]> {
  const rss = process.memoryUsage().rss / 1e6;
  const local = await localEmbedder();
  try {
    const taken: number[] = [];
    for (let n = 0; n < 20; n++) {
      taken.push(await timed(() => local.embed(['who is bringing what on Saturday?'])));
    }
    return [
      { name: 'memory of this process, with all vectors', measured: rss, unit: 'MB' },
      { name: 'the vector of a question, by the local model', measured: median(taken), unit: 'ms' },
    ];
  } finally {
    await local.close?.();
  }
}
