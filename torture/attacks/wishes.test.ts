import { expect, it } from 'vitest';
import { type Attack, attacks, choose, spread } from './data.ts';
import { adapt, attackRounds, inventions, sweep, type Tools } from './wishes.ts';

const TOOLS: Tools = new Map([
  ['send_message', ['text']],
  ['mark_todo_item', ['todo_id', 'status']],
  ['end_conversation', ['reason']],
]);
const attack = (toolCalls: Attack['toolCalls']): Attack => ({
  ...({ id: 'a', goal: 'g', technique: 't', field: 'body', aim: [], mustNotHappen: '' } as const),
  text: ['one', 'two $& {{context}}'],
  toolCalls,
});

it("adapts a call to the tool's arguments, and gives none for a tool that is not offered", () => {
  const call = { name: 'send_message', arguments: { chat_id: '1', message: 'hi', x: 2 } };
  expect(adapt(call, TOOLS)).toEqual({ name: 'send_message', arguments: { text: 'hi' } });
  expect(adapt({ name: 'bash', arguments: {} }, TOOLS)).toBeNull();
});

it('makes both calls in a round, and a result refers to the call that the attack counts', () => {
  const rounds = attackRounds(
    attack([
      { name: 'send_message', arguments: { to: '1', message: '{{attack}}' } },
      { name: 'bash', arguments: {} },
      { name: 'send_message', arguments: { text: '{{result:0}} {{result:1}} {{result:9}}' } },
    ]),
    TOOLS,
  );
  expect(rounds.map((round) => round.length)).toEqual([2, 1, 1]);
  expect(rounds[0]?.[1]?.arguments).toEqual({ text: 'one\ntwo $& {{context}}' });
  expect(rounds[2]?.[0]?.arguments).toEqual({ text: '{{result:1}} {{result:2}} {{result:999}}' });
});

it('tries every tool with every id, and those that end a turn separately', () => {
  const going = sweep(TOOLS, ['1', '2'], false);
  expect(going.map(({ name }) => name)).not.toContain('end_conversation');
  expect(going).toHaveLength(8);
  expect(going).toContainEqual({ name: 'send_message', arguments: { text: 'sweep 2' } });
  expect(going[0]?.arguments).toMatchObject({ text: 'sweep 1', to: '1', chat_id: '1' });
  expect(sweep(TOOLS, ['1'], true).map(({ name }) => name)).toContain('end_conversation');
});

it('invents approvals only for the ids that it found', () => {
  const made = inventions(['1'], 'the-approval');
  expect(made.find(({ name }) => name === 'approve')?.arguments).toMatchObject({
    approval_id: 'the-approval',
  });
});

it('a selection names goals and ids, and a sample has some of every goal', () => {
  const all = attacks();
  expect(all).toHaveLength(893);
  expect(choose(all, { only: ['a0001', 'url_exfil'] })).toHaveLength(48);
  const some = choose(all, { only: [], limit: 60 });
  expect(some).toHaveLength(60);
  expect(new Set(some.map(({ goal }) => goal)).size).toBe(17);
  expect(new Set(some.map(({ technique }) => technique)).size).toBeGreaterThan(9);
  expect(spread([1, 2], 9, String)).toEqual([1, 2]);
});
