import { CONNECTION_STATES, whatsappStatusOf } from '@relay/contract/connection/states';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { longestWait, RETRY } from '../retry.ts';
import { CLOSE_POLICY, decideOnClose, LASTING_AFTER, RECREATE_AT_ONCE } from './close-policy.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 500);
vi.setConfig({ testTimeout: 60_000 + 5 * numRuns });
const anyCode = fc.oneof(
  fc.constantFrom(...Object.keys(CLOSE_POLICY).map(Number)),
  fc.integer(),
  fc.constant(undefined),
);
const anyJitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the policy for a closed connection', () => {
  test('515 reconnects at once', () => {
    expect(decideOnClose(515, 1, 0.5)).toEqual({
      action: 'recreate',
      delayMs: 0,
      state: 'restarting',
    });
  });

  test('repeated 515 backs off instead of flooding the server', () => {
    expect(decideOnClose(515, RECREATE_AT_ONCE, 0).delayMs).toBe(0);
    expect(decideOnClose(515, RECREATE_AT_ONCE + 1, 0)).toEqual({
      action: 'back_off',
      delayMs: 1_000,
      state: 'reconnecting',
    });
    expect(decideOnClose(515, 100, 0).delayMs).toBe(30_000);
  });

  test.each([408, 428, 503])('%i backs off with jitter and never gives up', (code) => {
    expect(decideOnClose(code, 1, 0)).toEqual({
      action: 'back_off',
      delayMs: 1_000,
      state: 'reconnecting',
    });
    expect(decideOnClose(code, 3, 0).delayMs).toBe(4_000);
    expect(decideOnClose(code, 3, 0.5).delayMs).toBe(3_200);
    expect(decideOnClose(code, 10_000, 0)).toEqual({
      action: 'back_off',
      delayMs: 30_000,
      state: 'unreachable',
    });
  });

  test('after five failed attempts the account counts as not connected', () => {
    expect(whatsappStatusOf(decideOnClose(408, LASTING_AFTER, 0).state)).toBe('connecting');
    expect(whatsappStatusOf(decideOnClose(408, LASTING_AFTER + 1, 0).state)).toBe('disconnected');
  });

  test.each([
    [500, 'session_refused'],
    [599, 'closed_unexplained'],
    [undefined, 'closed_unexplained'],
  ])('%s backs off a bounded number of times, then stops', (code, state) => {
    for (const attempt of [1, 2, 3, 4, 5]) {
      expect(decideOnClose(code, attempt, 0)).toMatchObject({
        action: 'back_off',
        state: 'reconnecting',
      });
    }
    expect(decideOnClose(code, 6, 0)).toEqual({ action: 'stop', state });
  });

  test.each([
    [401, 'relink', 'logged_out'],
    [403, 'stop', 'banned'],
    [405, 'stop', 'client_outdated'],
    [411, 'stop', 'device_mismatch'],
    [440, 'stop', 'replaced'],
  ])('%i stops at once: %s', (code, action, state) => {
    expect(decideOnClose(code, 1, 0)).toEqual({ action, state });
  });

  test('every close has a known state, and a delay within the cap exactly if it is retried', () => {
    fc.assert(
      fc.property(anyCode, fc.integer({ min: 1, max: 10_000 }), anyJitter, (code, n, jitter) => {
        const { action, delayMs, state } = decideOnClose(code, n, jitter);
        expect(CONNECTION_STATES).toHaveProperty(state);
        if (action === 'stop' || action === 'relink') expect(delayMs).toBeUndefined();
        else expect(delayMs).toBeLessThanOrEqual(longestWait(RETRY.whatsapp_reconnect));
      }),
      { numRuns },
    );
  });
});
