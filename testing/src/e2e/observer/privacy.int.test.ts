// Observed groups end to end: announced first, each with a separate context without private data, searchable further
// back, counted in tokens, and answered at most once despite kills.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import type { Person } from '../acceptance/person.ts';
import { eventually } from '../gateway.ts';
import { type Group, type GroupHarness, openGroupHarness } from './group.ts';

const DAY = 24 * 3_600_000;

let harness: GroupHarness;
let mum: Person;
let ana: Person;
beforeAll(async () => {
  harness = await openGroupHarness();
  mum = await harness.world.person('Mum');
  ana = await harness.world.person('Ana');
});
afterAll(() => harness.world.end());

interface Listed {
  readonly name: string;
  readonly since: string;
  readonly announced_at: string | null;
  readonly messages_kept: number;
  readonly messages_cut: number;
  readonly tokens_spent: number;
  readonly tokens_avoided: number;
  readonly messages_sent: number;
  readonly days: readonly { readonly tokens_spent: number }[];
  readonly answers_today: number;
}

async function answered(group: Group, question: string, answer: string): Promise<void> {
  harness.sorts(question, 'direct_request');
  harness.answers(question, answer);
  await group.asks(`Annie, ${question}`);
  await group.reads(mum, answer);
}

const prompt = (): string =>
  JSON.stringify(
    harness
      .answered()
      .at(-1)
      ?.messages.map(({ content }) => content),
  );

describe('before a group is observed', () => {
  it('the owner is asked to announce it with a prepared text, and sees since when it is observed', async () => {
    verifies('004-PRIV-TRANSPARENCY');
    const group = await harness.group('Book club', mum, ana);
    const refused = await harness.world.run('observe', 'add', 'Book club');
    expect(refused).toMatchObject({ exit: 2, out: '' });
    expect(refused.err).toContain('my assistant Annie reads this group');
    expect(refused.err).toContain('--announced');
    const unheard = await group.says(mum.phone, 'Which book is next?');
    expect(await harness.known(unheard)).toEqual(['group']);
    expect(await harness.world.gives('observe', 'list')).toEqual([]);

    const said = await harness.world.says('observe', 'add', 'Book club', '--announced');
    expect(said).toMatch(/^Observing Book club since \d\d:\d\d/);
    expect(said).toContain('Relay sends nothing there.');
    const [listed] = await harness.world.gives<Listed[]>('observe', 'list');
    expect(Date.parse(listed?.since ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(listed?.announced_at).not.toBeNull();
    const heard = await group.says(mum.phone, 'I vote for the short one');
    expect(await harness.known(heard)).toEqual(['observed']);
  });

  it('an ambiguous group name is asked back, and reading alone answers nobody', async () => {
    await harness.group('Football A', mum);
    const group = await harness.group('Football B', mum);
    const unclear = await harness.world.run('observe', 'add', 'Football', '--announced');
    expect(unclear.exit).toBe(2);
    expect(unclear.err).toContain('Football A');
    expect(unclear.err).toContain('Football B');
    await harness.world.says('observe', 'add', group.jid, '--announced');
    harness.sorts('when is the match', 'direct_request');
    const asked = await group.asks('Annie, when is the match?');
    expect(await harness.settles(asked, 2)).toEqual(['observed', 'refused']);
    expect(await harness.world.says('why', asked)).toContain('you have not allowed replies here');
    expect(group.traces()).toEqual({});
    await harness.world.says('observe', 'remove', 'Football B');
    const unheard = await group.says(mum.phone, 'kick-off at 3');
    expect(await harness.known(unheard)).toEqual(['group']);
  });
});

describe('the context of an answer', () => {
  it('contains only this group: neither private chats nor other groups nor the assistant', async () => {
    verifies('004-PRIV-PARTITION', '004-ANTI-OVERSHARE', '004-OWN-CONTEXT', '004-MULTI-GROUP');
    const [family, work] = [
      await harness.observed('Holliday', mum, ana),
      await harness.observed('Casa Limon', mum, ana),
    ];
    await harness.world.says('grant', `+${ana.phone}`, '--read', '--name', 'Ana');
    const secrets = [
      await ana.writes('In private: I am pregnant, canary-private'),
      await family.says(mum.phone, 'Dinner on Saturday at eight, canary-family'),
      await work.says(mum.phone, 'Brunch moves to eleven, canary-work'),
    ];
    for (const id of secrets) await harness.known(id);
    await harness.world.says('messages', 'send', `+${mum.phone}`, 'canary-owner for mum alone');
    await harness.world.says('chat', 'remember canary-assistant for me');

    // The model tries to look further: its tool knows only this group.
    harness.world.model.rules([
      {
        when: { system: 'You are Annie', contains: 'what about Saturday' },
        reply: {
          tool_calls: [{ name: 'search_group', arguments: { query: 'canary pregnant brunch' } }],
        },
        times: 1,
      },
      {
        when: { system: 'You are Annie', tool_result: 'canary' },
        reply: { text: 'Found: {{result:0}}', fill: true },
      },
    ]);
    harness.sorts('what about Saturday', 'direct_request');
    await family.asks('Annie, what about Saturday?');
    const [answer] = await family.reads(mum, 'Found');
    expect(answer).toContain('canary-family');
    const seen = JSON.stringify(harness.answered());
    expect(seen).toContain('canary-family');
    for (const other of ['private', 'work', 'owner', 'assistant']) {
      expect(seen).not.toContain(`canary-${other}`);
      expect(answer).not.toContain(`canary-${other}`);
    }
    expect(
      harness
        .answered()
        .at(-1)
        ?.tools?.map((tool) => tool.function.name),
    ).toEqual(['search_group']);

    // Each group is answered independently, at the same time.
    await answered(work, 'when is brunch?', 'At eleven.');
    expect(prompt()).toContain('canary-work');
    expect(prompt()).not.toContain('canary-family');
    expect(work.traces()).toEqual({ message: 1 });
    expect(family.traces()).toEqual({ message: 1 });
  });

  it('never fills the context of the assistant, however much is said', async () => {
    verifies('004-OWN-CONTEXT');
    const busy = await harness.observed('Busy', mum);
    for (let n = 0; n < 40; n++) await busy.says(mum.phone, `Item ${n} of the plan, canary-busy`);
    await harness.known(await busy.says(mum.phone, 'that was the plan'));
    await harness.world.says('chat', 'good evening to you');
    const calls = harness.world.model.calls().map(({ body }) => JSON.stringify(body));
    const asked = calls.findLast((call) => call.includes('good evening to you')) ?? '';
    expect(asked).not.toBe('');
    expect(asked).not.toContain('canary-busy');
  });

  it('is extended by search, as far back as messages are kept', async () => {
    verifies('004-DEEP-HISTORY');
    const trip = await harness.observed('Trip', mum);
    const says = (text: string, days: number) =>
      trip.says(mum.phone, text, { at: new Date(Date.now() - days * DAY) });
    await harness.known(await says('The villa is called Casa Azul', 20));
    await harness.known(await says('The old villa was Casa Roja', 45));
    harness.world.model.rules([
      {
        when: { system: 'You are Annie', contains: 'name of the villa' },
        reply: { tool_calls: [{ name: 'search_group', arguments: { query: 'villa' } }] },
        times: 1,
      },
      {
        when: { system: 'You are Annie', tool_result: 'Casa Azul' },
        reply: { text: 'It is Casa Azul.' },
      },
    ]);
    harness.sorts('name of the villa', 'direct_request');
    await trip.asks('Annie, what was the name of the villa?');
    await trip.reads(mum, 'It is Casa Azul.');
    const [first, second] = harness.answered().slice(-2);
    expect(JSON.stringify(first)).not.toContain('Casa Azul');
    expect(JSON.stringify(second)).toContain('Casa Azul');
    // Older than the retention of observed groups, whether deleted already or not.
    expect(JSON.stringify(second)).not.toContain('Casa Roja');
  });

  it('gives a short answer, whatever the model writes', async () => {
    verifies('004-CADENCE-SHORT');
    const short = await harness.observed('Short', mum);
    harness.sorts('tell me everything', 'direct_request');
    harness.answers('tell me everything', `First sentence. ${'And so on and on. '.repeat(80)}`);
    await short.asks('Annie, tell me everything');
    await short.reads(mum, 'First sentence.');
    const [said = ''] = await short.heardBy(mum);
    expect(said).toMatch(/^First sentence\. .*\.\n\n\[BOT\]$/s);
    expect(said.length).toBeLessThanOrEqual(520);
    expect(prompt()).toContain('one to three sentences');
  });
});

describe('the cost of an observed group', () => {
  it('shows tokens spent and avoided for each group', async () => {
    verifies('004-TOKENS-SHOWN');
    const [one, two] = [await harness.observed('Paid', mum), await harness.observed('Free', mum)];
    for (const group of [one, two]) {
      await group.says(mum.phone, 'Dinner is at nine on Sunday');
      await harness.known(await group.says(mum.phone, '😂😂😂😂'));
    }
    await answered(one, 'when is dinner?', 'At nine.');
    const groups = await harness.world.gives<Listed[]>('observe', 'list');
    const of = (name: string) => groups.find((group) => group.name === name);
    expect(of('Paid')).toMatchObject({ messages_kept: 2, messages_cut: 1, answers_today: 1 });
    expect(of('Free')).toMatchObject({ messages_kept: 1, messages_cut: 1, tokens_spent: 0 });
    expect([of('Paid')?.messages_sent, of('Free')?.messages_sent]).toEqual([1, 0]);
    expect(
      of('Paid')
        ?.days.map(({ tokens_spent }) => tokens_spent)
        .reduce((a, b) => a + b),
    ).toBe(of('Paid')?.tokens_spent);
    expect(of('Paid')?.tokens_spent).toBeGreaterThan(100);
    expect(of('Free')?.tokens_avoided).toBeGreaterThan(0);
    const shown = await harness.world.says('observe', 'list');
    const { tokens_spent: spent = 0, tokens_avoided: avoided = 0 } = of('Paid') ?? {};
    expect(shown).toContain(`${spent.toLocaleString('en-US')} used, ${avoided} saved`);
    expect(shown).toContain('1 kept, 1 filtered as noise (50 %)');
  });

  it('is bounded by the answers per day that the owner set for the group', async () => {
    verifies('004-CADENCE-DAY');
    const group = await harness.observed('Five', mum);
    for (let n = 1; n <= 5; n++) {
      await answered(group, `question number ${n}?`, `Answer number ${n}.`);
      await harness.passes(group, 6);
    }
    const sixth = await group.asks('Annie, question number 6?');
    expect(await harness.settles(sixth, 2)).toEqual(['observed', 'cadence']);
    await harness.world.says('observe', 'add', 'Five', '--answers', '6');
    await answered(group, 'question number 7?', 'Answer number 7.');
    await harness.passes(group, 6);
    const eighth = await group.asks('Annie, question number 8?');
    expect(await harness.settles(eighth, 2)).toEqual(['observed', 'cadence']);
    expect(group.traces()).toEqual({ message: 6 });
  });
});

it('a daemon that is killed during a model call answers once', async () => {
  const group = await harness.observed('Killed', mum);
  harness.sorts('are you there', 'direct_request', { delay_ms: 1_500 });
  harness.world.model.rules([
    {
      when: { system: 'You are Annie', contains: 'are you there' },
      reply: { text: 'I am.', delay_ms: 1_500 },
    },
  ]);
  const called = (calls: () => readonly unknown[]) => {
    const before = calls().length;
    return eventually('a call', async () => (calls().length > before ? true : undefined));
  };
  const sorting = called(() => harness.sorted());
  const asked = await group.asks('Annie, are you there?');
  await sorting;
  await harness.world.relay.kill();
  const answering = called(() => harness.answered());
  await harness.world.says('start');
  await answering;
  await harness.world.relay.kill();
  await harness.world.says('start');
  await group.reads(mum, 'I am.');
  expect(await harness.settles(asked, 2)).toEqual(['observed', 'replied']);
  expect(await group.heardBy(mum)).toEqual(['I am.\n\n[BOT]']);
});
