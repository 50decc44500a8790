// Tests of model and network failures. A turn ends in time, with a sentence, and without quoting what was sent or
// answered.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { RelayError } from '@relay/contract/errors';
import { trustedText } from '@relay/core/agent/labelled-text';
import { startModelServer } from '@relay/simulator/model/server';
import { APICallError } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { OpenedModel } from './model.ts';
import { classifyModelError } from './model-failure.ts';
import { LIMITS, READS_NOBODY, says, scripted } from './testing/scripted.ts';
import { defineAgentTool } from './tools.ts';

const harness = scripted();
const asked = () => harness.server.calls().length;

const failing = async (
  options: Parameters<typeof harness.session>[0] = {},
): Promise<RelayError> => {
  const error = await harness
    .session(options)
    .act(says('the secret question'))
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof RelayError)) throw new Error('not one of ours', { cause: error });
  return error;
};

/** The error with all its causes, as a log would describe it. */
function everything(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    parts.push(at.message, at.stack ?? '', JSON.stringify(at));
  return parts.join('\n');
}

test('waits as long as the provider asks after a 429 and then uses the answer', async () => {
  harness.server.rules([
    { reply: { status: 429, retry_after: 20 }, times: 1 },
    { reply: { text: 'at last' } },
  ]);
  expect(await harness.session().act(says('go'))).toEqual({ kind: 'text', text: 'at last' });
  expect(harness.clock.waits).toContain(20_000);
  expect(asked()).toBe(2);
  expect(harness.spent).toHaveLength(1);
});

test.each([
  ['a date', { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }, 60_000, 90_000],
  ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '20' }, 1_500, 1_500],
  ['a date that is over', { 'retry-after': new Date(0).toUTCString() }, 0, 0],
  ['nonsense', { 'retry-after': 'soon' }, null, null],
  ['less than nothing', { 'retry-after': '-5' }, null, null],
])('accepts a wait given as %s', (_, responseHeaders, least, most) => {
  const error = new APICallError({
    message: 'busy',
    url: 'http://model',
    requestBodyValues: {},
    statusCode: 429,
    responseHeaders,
  });
  const { waitMs } = classifyModelError(error, 'scripted');
  if (least === null) expect(waitMs).toBeNull();
  else {
    expect(waitMs).toBeGreaterThanOrEqual(least);
    expect(waitMs).toBeLessThanOrEqual(most);
  }
});

test('does not begin a wait that is longer than the turn', async () => {
  harness.server.rules([{ reply: { status: 429, retry_after: 3_600 } }]);
  expect(await failing()).toMatchObject({ code: 'model_busy', isRetryable: true });
  expect(asked()).toBe(1);
});

test.each([
  ['500', { status: 500 }, 'model_unreachable'],
  ['503', { status: 503, retry_after: 0 }, 'model_unreachable'],
  ['429 again and again', { status: 429, retry_after: 0 }, 'model_busy'],
  ['a body that breaks off', { raw: { body: '{"choices": [', cut: true } }, 'model_garbled'],
  ['a body that is no JSON', { raw: 'the secret answer {{{' }, 'model_garbled'],
  ['an answer of another kind', { raw: '{"secret answer": 1}' }, 'model_garbled'],
  [
    'a page of HTML',
    { raw: { body: '<h1>secret answer', content_type: 'text/html' } },
    'model_garbled',
  ],
  ['no choices', { raw: '{"choices": []}' }, 'model_garbled'],
])('retries once after %s and then fails without quoting the answer', async (_, reply, code) => {
  harness.server.rules([{ reply }]);
  const error = await failing();
  expect(error).toMatchObject({ code, isRetryable: true });
  expect(asked()).toBe(2);
  expect(everything(error)).not.toMatch(/secret/);
});

test.each([400, 401, 403, 404])('does not retry %i and names what to check', async (status) => {
  harness.server.rules([{ reply: { status, text: 'the secret answer, key sk-1' } }]);
  const error = await failing();
  expect(error).toMatchObject({ code: 'model_refused', isRetryable: false });
  expect(error.message).toContain(String(status));
  expect(asked()).toBe(1);
  expect(everything(error)).not.toMatch(/secret|sk-1/);
});

test('names the system’s error code if the server does not exist', async () => {
  const gone = await startModelServer();
  await gone.close();
  const model = createOpenAICompatible({ name: 'x', baseURL: `${gone.url}/v1` });
  const nowhere = { model: model.chatModel('m'), provider: 'nowhere', name: 'm' };
  expect((await failing({ model: nowhere })).message).toBe(
    'The model cannot be reached: nowhere failed (ECONNREFUSED). Resume the conversation when it answers again, or change its address with `relay init`.',
  );
});

test('gives up a hanging model after its time limit, retries once and then fails', async () => {
  harness.server.rules([{ reply: { delay_ms: 600_000 } }]);
  const limits = { ...LIMITS, call_timeout_ms: 40_000 };
  expect((await failing({ limits })).message).toContain('no answer within 40 s');
  expect(asked()).toBe(2);
});

/** Ignores its signal and never ends. */
const deaf = (opened: OpenedModel): OpenedModel => ({
  ...opened,
  model: Object.assign(Object.create(opened.model), {
    doGenerate: () => new Promise<never>(() => {}),
  }),
});

test('ends a turn although the fetch ignores its signal', async () => {
  const limits = { ...LIMITS, call_timeout_ms: 5_000 };
  expect(await failing({ model: deaf(harness.opened()), limits })).toMatchObject({
    code: 'model_unreachable',
  });
});

test('limits the whole turn, whether it is one call or many', async () => {
  harness.server.rules([{ reply: { delay_ms: 600_000 } }]);
  const limits = { ...LIMITS, turn_timeout_ms: 40_000 };
  expect(await failing({ limits })).toMatchObject({ code: 'model_slow', isRetryable: true });
  expect(asked()).toBe(1);

  harness.server.rules([
    { reply: { tool_calls: [{ name: 'idle', arguments: {} }], delay_ms: 100 } },
  ]);
  const idle = defineAgentTool({
    name: 'idle',
    description: 'Does nothing.',
    schema: z.strictObject({}),
    run: () => ({ text: trustedText('done') }),
  });
  const spread = { ...LIMITS, turn_timeout_ms: 100_000, max_steps: 1_000 };
  expect(await failing({ limits: spread, tools: [idle] })).toMatchObject({ code: 'model_slow' });
  expect(asked()).toBeGreaterThan(2);
});

test('ends an overtaken turn at once with the given reason', async () => {
  harness.server.rules([{ reply: { delay_ms: 600_000 } }]);
  const overtaken = new AbortController();
  const hooks = { signal: overtaken.signal, ...READS_NOBODY, onUsage: async () => {} };
  const turn = harness.session({ hooks }).act(says('go'));
  const reason = new Error('overtaken');
  const ended = expect(turn).rejects.toBe(reason);
  await expect.poll(asked).toBe(1);
  overtaken.abort(reason);
  await ended;
  expect(asked()).toBe(1);
});

test('ends an overtaken turn at once although the model ignores its signal', async () => {
  const overtaken = new AbortController();
  const hooks = { signal: overtaken.signal, ...READS_NOBODY, onUsage: async () => {} };
  const turn = harness.session({ hooks, model: deaf(harness.opened()) }).act(says('go'));
  const reason = new Error('overtaken');
  setTimeout(() => overtaken.abort(reason), 100);
  await expect(turn).rejects.toBe(reason);
});
