// Test harness: a session with the scripted model over HTTP, on a clock that runs fifty times as fast. Limits and waits
// are the real ones, without tests waiting for them.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { agentSchema } from '@relay/contract/settings';
import { trustedText } from '@relay/core/agent/labelled-text';
import { UNTAINTED } from '@relay/core/policy/facts';
import type { ModelUsage } from '@relay/core/ports/agent-turn';
import { type ModelServer, startModelServer } from '@relay/simulator/model/server';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Clock } from '../clock.ts';
import type { OpenedModel } from '../model.ts';
import { type AgentSession, createAgentSession, type SessionOptions } from '../session.ts';

const SPEED = 50;

export interface FastClock extends Clock {
  /** Every wait that was requested, in milliseconds of this clock. */
  readonly waits: number[];
}

export function fastClock(): FastClock {
  const waits: number[] = [];
  return {
    waits,
    now: () => performance.now() * SPEED,
    date: () => new Date('2026-03-06T12:00:00Z'),
    wait(ms, signal) {
      waits.push(ms);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms / SPEED);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
      return promise;
    },
  };
}

export interface Scripted {
  readonly server: ModelServer;
  readonly clock: FastClock;
  readonly spent: ModelUsage[];
  opened(): OpenedModel;
  session(options?: Partial<SessionOptions>): AgentSession;
}

/** Far away on this clock too: a busy machine must not end a turn unless the test wants it. */
export const LIMITS = agentSchema.parse({
  turn_timeout_ms: 1_800_000,
  call_timeout_ms: 600_000,
});

export function scripted(): Scripted {
  let server: ModelServer;
  let clock = fastClock();
  let spent: ModelUsage[] = [];
  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    server.rules([]);
    server.traitor(false);
    await fetch(`${server.url}/control/calls`, { method: 'DELETE' });
    clock = fastClock();
    spent = [];
  });
  const opened = () => ({
    model: createOpenAICompatible({
      name: 'scripted',
      baseURL: `${server.url}/v1`,
      includeUsage: true,
    }).chatModel('m'),
    provider: 'scripted',
    name: 'm',
  });
  return {
    get server() {
      return server;
    },
    get clock() {
      return clock;
    },
    get spent() {
      return spent;
    },
    opened,
    session: (options = {}) =>
      createAgentSession({
        model: opened(),
        instructions: trustedText('Be kind.'),
        tools: [],
        limits: LIMITS,
        clock,
        hooks: {
          signal: new AbortController().signal,
          ...READS_NOBODY,
          onUsage: async (cost) => void spent.push(cost),
        },
        ...options,
      }),
  };
}

/** For sessions that contain only text from Relay and the owner. */
export const READS_NOBODY = { alreadyRead: UNTAINTED, beforeReading: async () => {} };

export const says = (content: string) => [{ role: 'user' as const, content: trustedText(content) }];

/** A provider's answer, with ids chosen by the test. */
export const wireCalls = (calls: readonly { id: string; name: string; arguments: string }[]) =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: calls.map(({ id, ...made }) => ({ id, type: 'function', function: made })),
        },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
