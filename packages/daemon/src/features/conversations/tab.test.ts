import { settingsSchema } from '@relay/contract/settings';
import type { ModelUsage } from '@relay/core/ports/agent-turn';
import { expect, test } from 'vitest';
import { type BudgetUse, TokenMeter } from './token-budget.ts';

const settings = settingsSchema.parse({
  agent: { tokens_per_conversation: 1_000, tokens_per_day: 5_000 },
});
const tokens = (n: number): ModelUsage => ({
  ...{ provider: 'scripted', model: 'm' },
  ...{ inputTokens: n - 1, outputTokens: 1, micros: n },
});

/** Of the conversation, and of the day the same unless said. */
const upTo = (conversation: number, tokens = conversation, micros = tokens): BudgetUse => ({
  conversation,
  day: { tokens, micros },
});

/** Notes that are written when the test says so. */
function open(used: BudgetUse = upTo(0)) {
  const written: ModelUsage[] = [];
  const waiting: PromiseWithResolvers<BudgetUse>[] = [];
  const tab = new TokenMeter({ settings }, used, (spent) => {
    written.push(spent);
    const note = Promise.withResolvers<BudgetUse>();
    waiting.push(note);
    return note.promise;
  });
  return { tab, written, note: (nth: number, now: BudgetUse) => waiting[nth]?.resolve(now) };
}

const isOpen = async (promise: Promise<unknown>): Promise<boolean> => {
  const later = new Promise((resolve) => setTimeout(resolve, 5, 'open'));
  return (await Promise.race([promise.catch(() => 'failed'), later])) === 'open';
};

test('a call goes on while it is written down, the next answer waits until it is', async () => {
  const { tab, note } = open();
  await tab.add(tokens(10));
  const second = tab.add(tokens(10));
  expect(await isOpen(second)).toBe(true);
  note(0, upTo(10));
  await second;
  expect(await isOpen(tab.settled())).toBe(true);
  note(1, upTo(20));
  await tab.settled();
});

test('a budget that the turn itself uses up ends it before anything more is asked', async () => {
  const { tab, note } = open(upTo(900));
  const last = tab.add(tokens(100));
  expect(await isOpen(last)).toBe(true);
  note(0, upTo(1_000));
  await expect(last).rejects.toMatchObject({ code: 'budget_spent' });
  await expect(tab.settled()).rejects.toMatchObject({ code: 'budget_spent' });
});

test('a budget that others used up ends it with the next answer, which is written down too', async () => {
  const { tab, note, written } = open();
  await tab.add(tokens(10));
  note(0, upTo(10, 5_000));
  const second = tab.add(tokens(10));
  await expect(second).rejects.toMatchObject({ code: 'budget_spent' });
  expect(written).toHaveLength(2);
});

test('a note that fails after the last call fails the turn', async () => {
  const { tab, note } = open();
  await tab.add(tokens(10));
  note(0, upTo(10, 6_000));
  await expect(tab.settled()).rejects.toMatchObject({ code: 'budget_spent' });
});

test('money that the turn itself uses up ends it, however few tokens that were', async () => {
  const { tab, note } = open(upTo(10, 10, 4_999_990));
  const last = tab.add(tokens(10));
  note(0, upTo(20, 20, 5_000_000));
  await expect(last).rejects.toMatchObject({ code: 'money_spent' });
});
