// Schemas and service of evaluations: Relay's own sets run against the owner's model, with estimate, progress and
// scores.
import { z } from 'zod';
import { LEAK_REASONS } from './constants.ts';

const EVAL_SETS = ['trigger', 'digest'] as const;
export type EvalSet = (typeof EVAL_SETS)[number];

export const evalRequestSchema = z.strictObject({
  set: z.enum([...EVAL_SETS, 'all']).default('all'),
  /** The number of trigger cases and digest days to use, spread over the sets; all if omitted. */
  limit: z.coerce.number().int().min(1).max(10_000).optional(),
});
export type EvalRequest = z.infer<typeof evalRequestSchema>;

const tokens = z.int().min(0);

export const evalPlanSchema = z.object({
  provider: z.string(),
  model: z.string(),
  /** The number of model calls and their approximate cost. */
  calls: tokens,
  input_tokens: tokens,
  output_tokens: tokens,
  /** The rest of `agent.tokens_per_day` for today. */
  left_today: tokens,
});
export type EvalPlan = z.infer<typeof evalPlanSchema>;

/** Precision and recall of the cases in which the assistant answered. */
const scoreSchema = z.object({
  right: z.int(),
  wrong: z.int(),
  missed: z.int(),
  left_alone: z.int(),
  precision: z.number().nullable(),
  recall: z.number().nullable(),
});
export type Score = z.infer<typeof scoreSchema>;

const perLabel = <Each extends z.ZodType>(each: Each) =>
  z.object({
    direct_request: each,
    mention_only: each,
    false_positive: each,
    no_mention: each,
  });

const triggerReportSchema = z.object({
  cases: z.int(),
  /** Messages that were passed to the model. */
  asked: z.int(),
  phase_one: scoreSchema,
  both_phases: scoreSchema,
  hard: z.object({ cases: z.int(), phase_one: scoreSchema, both_phases: scoreSchema }),
  /** Answers to anybody but the owner; each one is an error, whatever was said. */
  answered_others: z.int(),
  /** Model answers that are missing or none of the three labels; the assistant stays silent on them. */
  unread: z.int(),
  /** Over the owner's messages that the model labelled. */
  label_accuracy: z.number().nullable(),
  /**
   * The true label of the owner's message → the label it received. `no_mention` is one that phase 1 did not pass on.
   */
  confusion: perLabel(perLabel(z.int())),
});
export type TriggerReport = z.infer<typeof triggerReportSchema>;

const digestDaySchema = z.object({
  group: z.string(),
  day: z.string(),
  facts: z.int(),
  /** As the model judged it. Null without a digest or a judgement. */
  found: z.int().nullable(),
  missing: z.array(z.string()),
  leaks: z.array(z.object({ id: z.string(), reason: z.enum(LEAK_REASONS), fact: z.string() })),
  tokens: z.int(),
});
export type DigestDay = z.infer<typeof digestDaySchema>;

const digestReportSchema = z.object({
  days: z.array(digestDaySchema),
  /** Over the days that could be judged. */
  fact_recall: z.number().nullable(),
  leaks: z.int(),
  /** Days whose digest contains something sensitive or revoked. */
  days_failed: z.int(),
});
export type DigestReport = z.infer<typeof digestReportSchema>;

const evalReportSchema = z.object({
  provider: z.string(),
  model: z.string(),
  spent: z.object({ calls: tokens, input_tokens: tokens, output_tokens: tokens }),
  trigger: triggerReportSchema.nullable(),
  digest: digestReportSchema.nullable(),
});
export type EvalReport = z.infer<typeof evalReportSchema>;

/** Events in the order they happen. Exactly one `done` or `error` comes, and it is the last. */
const evalEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), set: z.enum(EVAL_SETS), done: z.int(), of: z.int() }),
  z.object({ type: z.literal('done'), report: evalReportSchema }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
]);
export type EvalEvent = z.infer<typeof evalEventSchema>;

// The evaluation service, as the route calls it. Implemented by the daemon; every refusal is a RelayError.

export interface EvalService {
  /** Calls no model. */
  plan(request: EvalRequest): Promise<EvalPlan>;
  /**
   * Resolves after the last event, `done` or `error`. Aborting the signal ends it; tokens spent by then are counted.
   * Only one run at a time.
   */
  run(request: EvalRequest, sink: (event: EvalEvent) => void, signal: AbortSignal): Promise<void>;
}
