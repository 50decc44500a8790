// Tests a turn of the conversation's agent against the scripted model over HTTP.
import type { TranscriptLine } from '@relay/contract/api/instances';
import { RelayError } from '@relay/contract/errors';
import { chatId, instanceId, runId } from '@relay/contract/ids';
import type { AgentSettings } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import { UNTAINTED } from '@relay/core/policy/facts';
import type { ModelUsage, TurnContext } from '@relay/core/ports/agent-turn';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';
import { createAgentSession } from '../../models/agent/session.ts';
import { LIMITS, scripted } from '../../models/agent/testing/scripted.ts';
import { createConversationAgent, TOOL_REMINDER } from './agent.ts';

const harness = scripted();
const INSTANCE = instanceId('7f3a9c52-1b1e-4a55-9d5e-0d7d5c0e9a11');
const CHAT = chatId('00000000-0000-4000-8000-000000000001');
const RUN = runId('2f3a9c52-1b1e-4a55-9d5e-0d7d5c0e9a11');
const TODO = { id: 't1', text: 'A price', status: 'pending' as const };

const logged: string[] = [];
beforeEach(() => void logged.splice(0));
const log = {
  ...silentLog,
  info: (message: string) => void logged.push(message),
  warn: (message: string) => void logged.push(message),
};

const line = (id: number, role: TranscriptLine['role'], content: string) => ({
  id: String(id),
  instance_id: INSTANCE as string,
  role,
  content,
  timestamp: '2026-03-06T12:00:00.000Z',
  delivery: null,
  message_id: null,
});

function turn(
  context: Partial<TurnContext> = {},
  settings: Partial<AgentSettings> = {},
  onUsage: (cost: ModelUsage) => Promise<void> = async () => {},
) {
  const takeTurn = createConversationAgent({
    models: { open: async () => harness.opened() },
    limits: { ...LIMITS, ...settings },
    log,
    clock: harness.clock,
  });
  const whole: TurnContext = {
    instance: INSTANCE,
    run: RUN,
    chat: CHAT,
    taint: { chats: [CHAT], outside: false },
    taskFrom: UNTAINTED,
    purpose: 'reply',
    objective: 'Get a quote',
    todos: [TODO],
    facts: [],
    files: [],
    resultSchema: null,
    summary: null,
    transcript: [],
    unread: 0,
    followUpCount: 0,
    maxFollowups: 5,
    ...context,
  };
  return takeTurn(whole, {
    signal: new AbortController().signal,
    onUsage,
    beforeReading: async () => {},
  });
}

interface Request {
  readonly messages: readonly { role: string; content: string }[];
  readonly tools?: readonly { function: { name: string } }[];
}
const requests = () => harness.server.calls().map(({ body }) => body as Request);
const call = (name: string, args: object) => ({ name, arguments: { ...args } });

test('returns what the tools drafted as the outcome, with every tool call', async () => {
  const made = [
    call('mark_todo_item', { todo_id: 't1', status: 'completed' }),
    call('send_message', { text: 'Thank you!' }),
    call('schedule_next_heartbeat', { delay: 60_000 }),
  ];
  harness.server.rules([{ when: { contains: '80 euros' }, reply: { tool_calls: made } }]);
  const transcript = [line(1, 'agent', 'A price?'), line(2, 'contact', '80 euros')];
  expect(await turn({ transcript, unread: 1 })).toEqual({
    messages: ['Thank you!'],
    todos: [{ id: 't1', status: 'completed' }],
    nextHeartbeatMs: 60_000,
    calls: made.map(({ name, arguments: args }) =>
      expect.objectContaining({ name, arguments: args, result: expect.any(String) }),
    ),
  });
});

test('uses createAgentSession with exactly the six conversation tools', async () => {
  verifies('003-EXT-AGENT');
  expect(createAgentSession).toBeTypeOf('function');
  await turn();
  expect(
    requests()[0]
      ?.tools?.map(({ function: { name } }) => name)
      .toSorted(),
  ).toEqual([
    'end_conversation',
    'mark_todo_item',
    'place_call',
    'request_human_intervention',
    'schedule_next_heartbeat',
    'send_message',
  ]);
});

test('returns the reason when the agent ends the conversation or asks for the owner', async () => {
  harness.server.rules([{ reply: { tool_calls: [call('end_conversation', { reason: 'Met.' })] } }]);
  expect(await turn()).toMatchObject({ messages: [], endReason: 'Met.' });
  harness.server.rules([
    { reply: { tool_calls: [call('request_human_intervention', { reason: 'A price?' })] } },
  ]);
  expect(await turn()).toMatchObject({ messages: [], interventionReason: 'A price?' });
});

test('logs place_call as unavailable, tells the model and continues the turn', async () => {
  harness.server.rules([
    {
      when: { tool_result: 'not yet available' },
      reply: { tool_calls: [call('send_message', { text: 'Hi' })] },
    },
    { reply: { tool_calls: [call('place_call', {})] } },
  ]);
  expect(await turn()).toMatchObject({ messages: ['Hi'] });
  expect(logged).toEqual([expect.stringContaining('call')]);
});

test('reminds the agent once when it writes text outside the tools, and never sends that text', async () => {
  harness.server.rules([
    {
      when: { contains: 'Nothing was sent' },
      reply: { tool_calls: [call('send_message', { text: 'Hi' })] },
    },
    { reply: { text: 'Hi there!' } },
  ]);
  expect(await turn()).toMatchObject({ messages: ['Hi'] });
  expect(requests()[1]?.messages.at(-1)).toEqual({ role: 'user', content: TOOL_REMINDER.text });
});

test('asks the owner when the agent still writes text outside the tools after the reminder', async () => {
  harness.server.rules([{ reply: { text: 'Hi there!' } }]);
  expect(await turn()).toMatchObject({
    messages: [],
    interventionReason: expect.stringContaining('without using its tools'),
  });
  expect(requests()).toHaveLength(2);
});

test('reminds the agent once about an empty answer, then reports that it had nothing to say', async () => {
  harness.server.rules([{ reply: { text: '' } }]);
  expect(await turn()).toMatchObject({
    messages: [],
    interventionReason: expect.stringContaining('gave no answer'),
  });
  expect(requests()).toHaveLength(2);
});

test('sends nothing and asks the owner when the agent exceeds its steps', async () => {
  for (let text = 0; text < 20; text += 1)
    harness.server.rules([
      { reply: { tool_calls: [call('send_message', { text: `again ${text}` })] }, times: 1 },
    ]);
  const outcome = await turn({}, { max_steps: 3 });
  expect(outcome).toMatchObject({
    messages: [],
    interventionReason: expect.stringContaining('model calls'),
  });
  expect(outcome.todos).toBeUndefined();
  expect(outcome.calls).toHaveLength(3);
});

const long = (id: number) =>
  line(id, id % 2 ? 'contact' : 'agent', `Line ${id}: ${'word '.repeat(80)}`);

test('summarises lines that no longer fit, and shows the turn the summary instead', async () => {
  verifies('003-OPEN-CONTEXT');
  harness.server.rules([
    { when: { system: 'You keep the notes' }, reply: { text: 'They spoke of words.' } },
    { reply: { tool_calls: [call('send_message', { text: 'Hi' })] } },
  ]);
  const transcript = Array.from({ length: 12 }, (_, index) => long(index + 1));
  const outcome = await turn(
    { transcript, unread: 1, summary: 'Earlier notes.' },
    { context_tokens: 800 },
  );
  const summing = requests()[0];
  expect(summing?.tools ?? []).toEqual([]);
  expect(JSON.stringify(summing)).toContain('Earlier notes.');
  const acting = requests().find(({ tools = [] }) => tools.length > 0);
  const last = JSON.stringify(acting?.messages);
  expect(last).toContain('They spoke of words.');
  expect(last).not.toContain('Earlier notes.');
  const upTo = Number(outcome.summary?.upTo);
  expect(outcome.summary?.text).toBe('They spoke of words.');
  expect(upTo).toBeGreaterThan(4);
  expect(upTo).toBeLessThan(12);
  for (const { id, content } of transcript) expect(last.includes(content)).toBe(Number(id) > upTo);
});

test('continues the turn when the summary fails, and lets a later turn retry it', async () => {
  harness.server.rules([
    { when: { system: 'You keep the notes' }, reply: { status: 500 } },
    { reply: { tool_calls: [call('send_message', { text: 'Hi' })] } },
  ]);
  const transcript = Array.from({ length: 12 }, (_, index) => long(index + 1));
  const outcome = await turn({ transcript, unread: 1 }, { context_tokens: 800 });
  expect(outcome.messages).toEqual(['Hi']);
  expect(outcome.summary).toBeUndefined();
  expect(JSON.stringify(requests().at(-1)?.messages[1])).toContain('left out');
  expect(logged).toEqual(['summary failed']);
});

test('ends the turn when the budget is used up, even during the summary', async () => {
  const broke = new RelayError('conflict', { what: 'used up' });
  const transcript = Array.from({ length: 12 }, (_, index) => long(index + 1));
  const spend = () => Promise.reject(broke);
  await expect(turn({}, {}, spend)).rejects.toBe(broke);
  await expect(turn({ transcript }, { context_tokens: 800 }, spend)).rejects.toBe(broke);
});

test('shortens a message longer than the window in the middle and still answers it', async () => {
  harness.server.rules([{ reply: { tool_calls: [call('send_message', { text: 'Hi' })] } }]);
  const flood = `begin ${'x'.repeat(60_000)} end`;
  const outcome = await turn(
    { transcript: [line(1, 'contact', flood)], unread: 1 },
    { context_tokens: 1_000 },
  );
  expect(outcome.messages).toEqual(['Hi']);
  const newest = requests()[0]?.messages.at(-1)?.content ?? '';
  expect(newest).toMatch(/begin x+\n\[… \d+ characters left out …\]\nx+ end/);
  expect(newest.length).toBeLessThan(3_000);
});

test('keeps no state between turns: the same context gives the same request', async () => {
  verifies('003-OPEN-REBUILD');
  harness.server.rules([{ reply: { tool_calls: [call('send_message', { text: 'Hi' })] } }]);
  const context = { transcript: [line(1, 'contact', 'Hello')], unread: 1, summary: 'Notes.' };
  await turn(context);
  await turn({ ...context, transcript: [line(1, 'contact', 'Other')] });
  await turn(context);
  const all = requests();
  expect(all[4]).toEqual(all[0]);
});

test('names the missing setting when no model is configured', async () => {
  const takeTurn = createConversationAgent({
    models: { open: () => Promise.reject(new RelayError('agent_unavailable', { what: 'x' })) },
    limits: LIMITS,
    log,
    clock: harness.clock,
  });
  const hooks = {
    signal: new AbortController().signal,
    onUsage: async () => {},
    beforeReading: async () => {},
  };
  await expect(takeTurn({} as TurnContext, hooks)).rejects.toMatchObject({
    code: 'agent_unavailable',
  });
});
