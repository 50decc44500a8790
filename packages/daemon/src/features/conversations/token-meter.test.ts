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

/** Usage of the conversation, and by default the same for the day. */
const upTo = (conversation: number, tokens = conversation, micros = tokens): BudgetUse => ({
  conversation,
  day: { tokens, micros },
});

/** A meter whose records are stored when the test says so. */
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

test('continues while a call is recorded, and awaits the record before the next answer', async () => {
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

test('ends the turn before the next call when the turn itself uses up a budget', async () => {
  const { tab, note } = open(upTo(900));
  const last = tab.add(tokens(100));
  expect(await isOpen(last)).toBe(true);
  note(0, upTo(1_000));
  await expect(last).rejects.toMatchObject({ code: 'budget_spent' });
  await expect(tab.settled()).rejects.toMatchObject({ code: 'budget_spent' });
});

test('ends the turn at the next answer when others used up the budget, and records that answer too', async () => {
  const { tab, note, written } = open();
  await tab.add(tokens(10));
  note(0, upTo(10, 5_000));
  const second = tab.add(tokens(10));
  await expect(second).rejects.toMatchObject({ code: 'budget_spent' });
  expect(written).toHaveLength(2);
});

test('fails the turn when the last record reports a used-up budget', async () => {
  const { tab, note } = open();
  await tab.add(tokens(10));
  note(0, upTo(10, 6_000));
  await expect(tab.settled()).rejects.toMatchObject({ code: 'budget_spent' });
});

test('ends the turn when it uses up the money of the day, however few tokens it used', async () => {
  const { tab, note } = open(upTo(10, 10, 4_999_990));
  const last = tab.add(tokens(10));
  note(0, upTo(20, 20, 5_000_000));
  await expect(last).rejects.toMatchObject({ code: 'money_spent' });
});
