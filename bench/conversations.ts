// A thousand people in conversation with one daemon at once, each answering within seconds: all conversations must end.
// Uses the simulated network, the scripted model and the shipped daemon.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationInstance } from '@relay/contract/api/instances';
import { isTerminal } from '@relay/contract/conversation/states';
import { People } from '@relay/testing/dialogue/people';
import {
  answer,
  conversationRequest,
  type Dialogue,
  expectedEnd,
  expectedTexts,
  expectedTodos,
  type Manner,
  objectiveOf,
} from '@relay/testing/dialogue/script';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import { type Limit, median, quantile } from './figures.ts';

const SETTINGS = {
  pacing: { enabled: false },
  agent: { tokens_per_day: 1_000_000_000 },
};
const OWNER = '15550000000';
const CREATED_AT_ONCE = 4;
/** People think before they answer. */
const HESITATION_MS = { least: 500, most: 3_000 };
/** Without progress for this long, none is expected. */
const STUCK_MS = 60_000;
const MB = 1024;

export async function benchConversations(count: number): Promise<readonly Limit[]> {
  const builds = openBuilds();
  try {
    const built = await builtIn(builds.folder);
    const demo = await startDemo({ built, settings: SETTINGS });
    try {
      return await converse(demo, count);
    } finally {
      await demo.stop();
    }
  } finally {
    builds.remove();
  }
}

async function converse(demo: Demo, count: number): Promise<readonly Limit[]> {
  const { network } = demo.simulator;
  demo.model.play(answer);
  const owner = network.addAccount({ phone: OWNER, name: 'Owner' });
  const allOpen = Promise.withResolvers<void>();
  const hesitate = async () => {
    await allOpen.promise;
    await sleep(HESITATION_MS.least + Math.random() * (HESITATION_MS.most - HESITATION_MS.least));
  };
  const people = new People({ network, owner, hesitate });
  const dialogues = Array.from({ length: count }, (_, n): Dialogue => {
    const dialogue = { name: `c${n + 1}`, manner: mannerOf(n), atOnce: false };
    people.join(dialogue, network.addAccount({ phone: phoneOf(n), name: `Person ${n}` }));
    return dialogue;
  });
  await demo.link(OWNER);
  const idleMb = await memory(demo, 'VmRSS');

  const began = performance.now();
  await createAll(demo, dialogues);
  const createdMs = performance.now() - began;
  const open = (await listAll(demo)).filter(({ state }) => !isTerminal(state)).length;
  allOpen.resolve();
  await untilAllEnded(demo, people, dialogues);
  const seconds = (performance.now() - began) / 1_000;

  const instances = await listAll(demo);
  const wrong = dialogues.filter((dialogue) => !isRight(dialogue, people, instances));
  for (const { name } of wrong.slice(0, 10)) console.log(`not as it should be: ${name}`);
  const messages = people.shown + people.waits.length;
  return [
    { name: 'conversations', measured: count, unit: '' },
    { name: 'open at once', measured: open, unit: '', atLeast: count * 0.95 },
    { name: 'that did not end as they should', measured: wrong.length, unit: '', atMost: 0 },
    { name: 'all were asked for in', measured: createdMs / 1_000, unit: 's' },
    { name: 'all were over in', measured: seconds, unit: 's' },
    { name: 'messages both ways', measured: messages, unit: '' },
    { name: 'messages both ways', measured: messages / seconds, unit: '/s' },
    { name: 'a person waited for an answer, p50', measured: median(people.waits), unit: 'ms' },
    {
      name: 'a person waited for an answer, longest',
      measured: quantile(people.waits, 1),
      unit: 'ms',
    },
    { name: 'memory of the daemon before', measured: idleMb, unit: 'MB' },
    { name: 'memory of the daemon, most', measured: await memory(demo, 'VmHWM'), unit: 'MB' },
    {
      name: 'phones could not read',
      measured: network.counts().undecryptable,
      unit: '',
      atMost: 0,
    },
  ];
}

/** Two in a hundred wait for a follow-up, two never answer. */
function mannerOf(n: number): Manner {
  if (n % 50 === 10) return 'nudged';
  return n % 50 === 20 ? 'silent' : 'talks';
}

const phoneOf = (n: number): string => `1556${String(1_000_000 + n)}`;

async function createAll(demo: Demo, dialogues: readonly Dialogue[]): Promise<void> {
  const waiting = dialogues.entries();
  const client = async () => {
    for (const [n, dialogue] of waiting)
      await demo.relay.ok('POST', '/api/instances', conversationRequest(dialogue, phoneOf(n)));
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, client));
}

async function untilAllEnded(
  demo: Demo,
  people: People,
  dialogues: readonly Dialogue[],
): Promise<void> {
  let movedAt = performance.now();
  let shown = -1;
  for (;;) {
    people.check();
    const open = (await listAll(demo)).filter(({ state }) => !isTerminal(state)).length;
    const allSeen = dialogues.every((dialogue) => people.hasSeenAll(dialogue));
    if (open === 0 && allSeen) return;
    if (people.shown !== shown) movedAt = performance.now();
    else if (performance.now() - movedAt > STUCK_MS) return;
    shown = people.shown;
    await sleep(1_000);
  }
}

async function listAll(demo: Demo): Promise<ConversationInstance[]> {
  const all: ConversationInstance[] = [];
  for (let after = ''; ; after = `&after=${all.at(-1)?.id}`) {
    const path = `/api/instances?limit=500${after}`;
    const page = await demo.relay.ok<ConversationInstance[]>('GET', path);
    all.push(...page);
    if (page.length < 500) return all;
  }
}

function isRight(
  dialogue: Dialogue,
  people: People,
  instances: readonly ConversationInstance[],
): boolean {
  const instance = instances.find(({ objective }) => objective === objectiveOf(dialogue));
  const todos = instance?.todos.map(({ status }) => status);
  return (
    instance?.state === expectedEnd(dialogue) &&
    String(todos) === String(expectedTodos(dialogue)) &&
    String(people.seenBy(dialogue)) === String(expectedTexts(dialogue))
  );
}

async function memory({ pid }: Demo, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / MB;
}
