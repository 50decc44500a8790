import { agentSchema } from '@relay/contract/settings';
import { describe, expect, test } from 'vitest';
import { costMicros, dayBudgetError, modelPriceFor } from './budget.ts';

const agent = agentSchema.parse({});

describe('the daily budget', () => {
  test('has a default limit in money, and its error names the setting', () => {
    expect(agent.usd_per_day).toBe(5);
    expect(dayBudgetError(agent, { tokens: 1_000, micros: 4_999_999 })).toBeNull();
    const spent = dayBudgetError(agent, { tokens: 1_000, micros: 5_010_000 });
    expect(spent).toMatchObject({ code: 'money_spent' });
    expect(spent?.message).toContain('5.01 of 5.00 USD');
    expect(spent?.message).toContain('"agent.usd_per_day"');
  });

  test('has a limit in tokens, whatever they cost', () => {
    const used = { tokens: agent.tokens_per_day, micros: 0 };
    expect(dayBudgetError(agent, used)).toMatchObject({ code: 'budget_spent' });
  });
});

describe('the price of a model', () => {
  test('is assumed for providers that bill by the token, and unknown for the others', () => {
    expect(modelPriceFor('anthropic', agent)).toEqual({ input: 5, output: 25, from: 'assumed' });
    expect(modelPriceFor('ollama', agent)).toEqual({ input: 0, output: 0, from: 'unknown' });
    expect(modelPriceFor('constructor', agent)).toMatchObject({ from: 'unknown' });
  });

  test('is the owner’s if they set one', () => {
    const own = { ...agent, usd_per_million_input_tokens: 0.25 };
    expect(modelPriceFor('anthropic', own)).toEqual({ input: 0.25, output: 25, from: 'settings' });
    expect(modelPriceFor('ollama', own)).toEqual({ input: 0.25, output: 0, from: 'settings' });
  });

  test('counts input and output tokens and never rounds down', () => {
    const price = { input: 0.25, output: 2 };
    expect(costMicros(price, { inputTokens: 1_000_000, outputTokens: 500_000 })).toBe(1_250_000);
    expect(costMicros(price, { inputTokens: 1, outputTokens: 0 })).toBe(1);
  });
});
