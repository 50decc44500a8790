import { expect, test } from 'vitest';
import { RelayConnectionError } from './api-error.ts';
import type { ClientRequest, ClientResponse } from './client.ts';
import { type RetryOptions, retryPause, withRetries } from './transport.ts';

const GET: ClientRequest = { method: 'GET', path: '/', headers: {} };
const POST: ClientRequest = { method: 'POST', path: '/', headers: {}, body: '{}' };
const KEYED: ClientRequest = { ...POST, headers: { 'idempotency-key': 'k' } };
const OK = { status: 200, headers: {}, body: '{}' };
const BUSY = { status: 503, headers: {}, body: '{}' };
const GONE = new RelayConnectionError('gone');

/** A transport with these responses, the last one repeated; time passes only in pauses. */
async function sending(
  request: ClientRequest,
  answers: readonly (ClientResponse | Error)[],
  options: RetryOptions = {},
) {
  const sent: ClientRequest[] = [];
  const pauses: number[] = [];
  let now = 0;
  const send = withRetries(
    async (given) => {
      const answer = answers[Math.min(sent.push(given), answers.length) - 1];
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer;
    },
    options,
    {
      now: () => now,
      chance: () => 0.5,
      async sleep(ms, signal) {
        signal?.throwIfAborted();
        pauses.push(ms);
        now += ms;
      },
    },
  );
  const outcome = await send(request).catch((error: unknown) => error);
  return { outcome, sent, pauses };
}

test.each([
  ['a read', GET],
  ['a call with a key', KEYED],
])(
  'repeats %s after 429, 503 and no response, with an identical request',
  async (_what, request) => {
    const busy = { ...BUSY, status: 429 };
    const { outcome, sent } = await sending(request, [busy, BUSY, GONE, OK]);
    expect(outcome).toBe(OK);
    expect(sent).toEqual([request, request, request, request]);
  },
);

test.each([BUSY, GONE])('never sends a call without a key twice', async (answer) => {
  const { outcome, sent } = await sending(POST, [answer, OK]);
  expect(outcome).toBe(answer);
  expect(sent).toHaveLength(1);
});

test.each([400, 401, 403, 404, 409, 500, 502])('does not retry status %i', async (status) => {
  const { outcome, sent } = await sending(GET, [{ ...BUSY, status }, OK]);
  expect(outcome).toMatchObject({ status });
  expect(sent).toHaveLength(1);
});

test('does not retry errors of this side', async () => {
  const { outcome, sent } = await sending(GET, [new TypeError('no URL'), OK]);
  expect(outcome).toBeInstanceOf(TypeError);
  expect(sent).toHaveLength(1);
});

test('returns the last response after the last retry', async () => {
  expect((await sending(GET, [BUSY])).sent).toHaveLength(4);
  expect((await sending(GET, [BUSY], { retries: 0 })).sent).toHaveLength(1);
  expect((await sending(GET, [GONE], { retries: 1 })).outcome).toBe(GONE);
});

test('waits as long as asked, and not at all if that exceeds the time limit', async () => {
  const asking = (after: string, more = {}) => ({
    ...BUSY,
    headers: { 'retry-after': after, ...more },
  });
  const { pauses } = await sending(GET, [asking('7'), OK]);
  expect(pauses[0]).toBeGreaterThanOrEqual(7_000);
  const date = { date: 'Sun, 15 Nov 2026 10:00:00 GMT' };
  const dated = await sending(GET, [asking('Sun, 15 Nov 2026 10:00:05 GMT', date), OK]);
  expect(dated.pauses[0]).toBeGreaterThanOrEqual(5_000);
  const long = await sending(GET, [asking('61'), OK]);
  expect(long).toMatchObject({ outcome: { status: 503 }, pauses: [] });
});

test('pauses grow, are bounded, and differ between clients', () => {
  const longest = [1, 2, 3, 4, 12].map((nth) => retryPause(nth, undefined, 1));
  expect(longest).toEqual([250, 500, 1_000, 2_000, 15_000]);
  expect(retryPause(3, undefined, 0)).toBe(500);
  expect(retryPause(1, 1_000, 0)).toBe(1_000);
});

test('throws the reason of whoever aborts during a pause', async () => {
  const reason = new Error('enough');
  const { outcome } = await sending({ ...GET, signal: AbortSignal.abort(reason) }, [BUSY, OK]);
  expect(outcome).toBe(reason);
});
