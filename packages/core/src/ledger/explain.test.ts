import { APPROVAL_STATES } from '@relay/contract/api/approvals';
import { INSTANCE_STATES } from '@relay/contract/conversation/states';
import type {
  ApprovalId,
  InstanceId,
  MessageId,
  OutboxId,
  RunId,
  ScheduleId,
} from '@relay/contract/ids';
import { OUTBOX_STATES } from '@relay/contract/outbox/states';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REASONS } from '../policy/reasons.ts';
import { ROUTE_REASONS } from '../router/route.ts';
import { explainStory } from './explain.ts';
import { ANSWER_REASONS, STOP_REASONS } from './rows.ts';
import type {
  ApprovalAnswer,
  DeliveryFacts,
  InboundStory,
  OutboundStory,
  RunFacts,
} from './story.ts';

const reading = { now: new Date('2026-11-15T15:00:00Z'), zone: 'UTC' };
const at = new Date('2026-11-15T14:02:00Z');
const RUN = '3f2a91bc-0000-4000-8000-000000000000' as RunId;

const run: RunFacts = { id: RUN, state: 'done', model: 'gpt-5-mini' };
const delivered: DeliveryFacts = {
  id: 'b0000000-0000-4000-8000-000000000000' as OutboxId,
  messageId: '3EB0' as MessageId,
  state: 'delivered',
  at,
  inDoubt: false,
  failure: null,
  stop: null,
  waitsFor: null,
};
const inbound = (over: Partial<InboundStory> = {}): InboundStory => ({
  way: 'in',
  place: { kind: 'direct', name: 'Mom' },
  from: 'Mom',
  at,
  route: { outcome: 'handed_over', reason: 'readable_contact' },
  conversation: null,
  answer: null,
  ...over,
});
const outbound = (over: Partial<OutboundStory> = {}): OutboundStory => ({
  way: 'out',
  place: { kind: 'direct', name: 'Mom' },
  at,
  actor: 'owner',
  reason: 'owner',
  run: null,
  conversation: null,
  program: null,
  schedule: null,
  approval: null,
  answers: null,
  delivery: delivered,
  ...over,
});
const part = { run, answer: null, approval: null, until: null, refusal: null };
const say = (story: InboundStory | OutboundStory) => explainStory(story, reading);

describe('a received message', () => {
  test('was answered: by whom, with which run, why, and its delivery state', () => {
    expect(say(inbound({ answer: { ...part, reason: 'replied', answer: delivered } }))).toBe(
      'Answered by auto-reply (gpt-5-mini, run 3f2a91bc), because your grant for Mom allowed reading and replies; the answer was delivered at 14:02.',
    );
  });

  test('from somebody without a grant is a message request', () => {
    const route = { outcome: 'stored', reason: 'no_grant' };
    expect(say(inbound({ route, place: { kind: 'direct', name: '+4915112345678' } }))).toBe(
      'Stored, not answered: +4915112345678 had no grant; it was counted as a message request.',
    );
  });

  test('in a conversation says what its agent did', () => {
    const conversation = {
      id: 'c' as InstanceId,
      objective: 'Get a quote',
      state: 'WAITING_FOR_REPLY',
      run,
      answers: [delivered],
      approval: null,
    };
    const route = { outcome: 'handed_over', reason: 'open_conversation' };
    expect(say(inbound({ route, conversation }))).toBe(
      'Handed to the conversation “Get a quote” with Mom, whose agent (gpt-5-mini, run 3f2a91bc) read it and answered; the answer was delivered at 14:02.',
    );
  });

  test('that waits says what it waits for', () => {
    const answer = { ...part, reason: 'quiet_hours', until: new Date('2026-11-16T07:00:00Z') };
    expect(say(inbound({ answer }))).toBe(
      'Waiting: it was handed to auto-reply, because your grant for Mom allowed reading, and quiet hours are active; the next attempt is on 16 November at 07:00.',
    );
    expect(say(inbound({ route: null }))).toMatch(/^Waiting: /);
  });

  test('is not called answered if its answer was stopped', () => {
    const stopped = { ...delivered, state: 'failed' as const, at: null, stop: 'no_reply_grant' };
    expect(say(inbound({ answer: { ...part, reason: 'replied', answer: stopped } }))).toBe(
      'Not answered: auto-reply (gpt-5-mini, run 3f2a91bc) wrote an answer, because your grant for Mom allowed reading and replies; the answer was not sent, because you have not allowed replies here.',
    );
  });
});

describe('a sent message', () => {
  test('says who caused it, under which permission, with which run, and its delivery state', () => {
    const story = outbound({
      actor: 'auto_reply:c',
      reason: 'standing_grant',
      run,
      answers: new Date('2026-11-15T14:01:00Z'),
    });
    expect(say(story)).toBe(
      'Auto-reply (gpt-5-mini, run 3f2a91bc) wrote this to Mom in answer to their message at 14:01, which your grant for Mom allowed; it was delivered at 14:02.',
    );
    expect(
      say(outbound({ delivery: { ...delivered, state: 'pending', at: null, waitsFor: 'hold' } })),
    ).toBe('You wrote this to Mom yourself; it is queued because sending is on hold.');
  });

  test('that was stopped at the last moment says why', () => {
    const conversation = { id: 'c' as InstanceId, objective: 'Get a quote' };
    const delivery = { ...delivered, state: 'failed' as const, stop: 'taken_over' };
    expect(
      say(
        outbound({ actor: 'conversation:c', reason: 'conversation_grant', conversation, delivery }),
      ),
    ).toBe(
      'The agent of the conversation “Get a quote” wrote this to Mom, which the permission of that conversation allowed; it was not sent, because you took over the conversation before it was sent.',
    );
  });
});

const name = fc.oneof(
  fc.constantFrom('Mom', '+4915112345678', 'A\nB\u202e', 'x'.repeat(200), 'somebody'),
  fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => /^[\p{L}\p{M}\d ]*[\p{L}\d][\p{L}\p{M}\d ]*$/u.test(text)),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const moment = fc.date({
  min: new Date('2020-01-01'),
  max: new Date('2030-01-01'),
  noInvalidDate: true,
});
const reasons = fc.constantFrom(
  ...Object.keys(ROUTE_REASONS),
  ...Object.keys(REASONS),
  ...Object.keys(ANSWER_REASONS),
  ...Object.keys(STOP_REASONS),
  'of_another_version',
);
const anyRun: fc.Arbitrary<RunFacts> = fc.record({
  id: fc.uuid() as unknown as fc.Arbitrary<RunId>,
  state: fc.constantFrom('running', 'done', 'failed', 'discarded'),
  model: maybe(fc.constantFrom('gpt-5-mini', 'claude-sonnet-4-5')),
});
const anyApproval: fc.Arbitrary<ApprovalAnswer> = fc.record({
  id: fc.uuid() as unknown as fc.Arbitrary<ApprovalId>,
  state: fc.constantFrom(...APPROVAL_STATES, 'gone'),
  edited: fc.boolean(),
  decidedAt: maybe(moment),
  expiresAt: maybe(moment),
  withdrawn: maybe(fc.constant('The contact wrote again, and a new answer replaces this one.')),
});
const anyDelivery: fc.Arbitrary<DeliveryFacts> = fc.record({
  id: fc.uuid() as unknown as fc.Arbitrary<OutboxId>,
  messageId: fc.constant('3EB0' as MessageId),
  state: fc.constantFrom(...OUTBOX_STATES),
  at: maybe(moment),
  inDoubt: fc.boolean(),
  failure: maybe(fc.constantFrom('WhatsApp refused it. Try again.', 'It was not sent.')),
  stop: maybe(reasons),
  waitsFor: fc.constantFrom('hold', 'paused', null),
});
const anyPlace = fc.record({ kind: fc.constantFrom('direct', 'group', 'own'), name });
const anyConversation = fc.record({
  id: fc.uuid() as unknown as fc.Arbitrary<InstanceId>,
  objective: name,
  state: fc.constantFrom(...INSTANCE_STATES),
  run: maybe(anyRun),
  answers: fc.array(anyDelivery, { maxLength: 3 }),
  approval: maybe(anyApproval),
});
const anyInbound: fc.Arbitrary<InboundStory> = fc.record({
  way: fc.constant('in'),
  place: anyPlace,
  from: name,
  at: moment,
  route: maybe(
    fc.record({ outcome: fc.constantFrom('ignored', 'stored', 'handed_over'), reason: reasons }),
  ),
  conversation: maybe(anyConversation),
  answer: maybe(
    fc.record({
      reason: maybe(reasons),
      run: maybe(anyRun),
      answer: maybe(anyDelivery),
      approval: maybe(anyApproval),
      until: maybe(moment),
      refusal: maybe(reasons),
    }),
  ),
});
const anyOutbound: fc.Arbitrary<OutboundStory> = fc.record({
  way: fc.constant('out'),
  place: anyPlace,
  at: moment,
  actor: fc.constantFrom(
    'owner',
    'notifier',
    'scheduler',
    'assistant:r',
    'auto_reply:c',
    'conversation:i',
    'token:t',
    'observer:c',
  ),
  reason: reasons,
  run: maybe(anyRun),
  conversation: maybe(fc.record({ id: fc.constant('c' as InstanceId), objective: name })),
  program: maybe(name),
  schedule: maybe(fc.record({ id: fc.constant('s' as ScheduleId), words: name })),
  approval: maybe(anyApproval),
  answers: maybe(moment),
  delivery: anyDelivery,
});
const anyReading = fc.record({
  now: moment,
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Kiritimati'),
});

test('every message has one sentence, whatever happened to it', () => {
  fc.assert(
    fc.property(fc.oneof(anyInbound, anyOutbound), anyReading, (story, where) => {
      const sentence = explainStory(story, where);
      expect(sentence).toMatch(/^\p{Lu}[^\n\r]*[^.\s]\.$/u);
      expect(sentence.match(/[.!?](\s|$)/g), sentence).toHaveLength(1);
      expect(sentence).not.toMatch(/undefined|null|NaN|\[object| {2}|\s[,;.]/);
    }),
    { numRuns: 1_000 },
  );
});

test('every reason of the router × every later event has a sentence', () => {
  const afters = [null, ...Object.keys(ANSWER_REASONS), 'of_another_version'];
  for (const reason of [
    ...Object.keys(ROUTE_REASONS),
    ...Object.keys(REASONS),
    'of_another_version',
  ]) {
    for (const outcome of ['ignored', 'stored', 'handed_over']) {
      for (const then of afters) {
        for (const state of OUTBOX_STATES) {
          const answer = { ...part, reason: then, answer: { ...delivered, state } };
          const sentence = say(inbound({ route: { outcome, reason }, answer }));
          expect(sentence).toMatch(/^\p{Lu}.*\.$/u);
        }
      }
    }
  }
});

test('a message of an observed group says that it was read, and why the assistant answered or not', () => {
  const family = { kind: 'group', name: 'Family' } as const;
  const route = { outcome: 'handed_over', reason: 'observed' };
  const why = (answer: InboundStory['answer']) =>
    explainStory(inbound({ place: family, route, answer }), reading);
  expect(why(null)).toBe('Read silently, because you observe the group “Family”.');
  expect(why({ ...part, reason: 'not_owner' })).toBe(
    'Read silently, because you observe the group “Family”, and not answered: someone other than you named your assistant.',
  );
  expect(why({ ...part, reason: 'refused', refusal: 'no_reply_grant' })).toContain(
    'because you asked it in the group “Family”, but the answer was not allowed, because you have not allowed replies here',
  );
  expect(why({ ...part, reason: 'replied', answer: delivered })).toMatch(
    /^Answered by your assistant \(gpt-5-mini, run 3f2a91bc\), because you asked it in the group “Family”;/,
  );
});
