import { RelayError } from '@relay/contract/errors';
import { silentLog } from '@relay/core/log';
import { expect, test, vi } from 'vitest';
import { toRelayError, withTimeLimit } from './call.ts';

const never = new AbortController().signal;
const hangs = () => new Promise<never>(() => {});

test('gives up work that hangs after its time limit, and aborts its signal', async () => {
  let workSignal: AbortSignal | undefined;
  const late = withTimeLimit(20, never, (signal) => {
    workSignal = signal;
    return hangs();
  });
  await expect(late).rejects.toMatchObject({ code: 'tool_too_slow' });
  expect(workSignal?.aborted).toBe(true);
});

test('ends work at once when the caller aborts, also before it began', async () => {
  const asked = new AbortController();
  const ended = withTimeLimit(60_000, asked.signal, hangs);
  asked.abort();
  await expect(ended).rejects.toMatchObject({ code: 'cancelled' });
  await expect(withTimeLimit(60_000, asked.signal, hangs)).rejects.toMatchObject({
    code: 'cancelled',
  });
});

test('returns the result of work that ends in time, and throws its error', async () => {
  expect(await withTimeLimit(60_000, never, async () => 'done')).toBe('done');
  const failed = withTimeLimit(60_000, never, () => Promise.reject(new Error('oh')));
  await expect(failed).rejects.toThrow('oh');
});

test('answers only with sentences of the error table, and logs other errors with an id', () => {
  const known = new RelayError('declined');
  expect(toRelayError(silentLog, 'x', known)).toBe(known);
  const error = vi.fn();
  const secret = new Error('SELECT body FROM messages: "the cake is a lie"');
  const answer = toRelayError({ ...silentLog, error }, 'send_message', secret);
  expect(answer.message).not.toContain('cake');
  const [, fields] = error.mock.calls[0] ?? [];
  expect(fields).toMatchObject({ route: 'send_message', error: secret });
  expect(answer.message).toContain(fields.request);
});
