// Relay's own sets run against the owner's model, as the API speaks of it: what it would cost, how far it
// is, and how good the model was.
import { z } from 'zod';
import { LEAK_REASONS } from './constants.ts';

const EVAL_SETS = ['trigger', 'digest'] as const;
export type EvalSet = (typeof EVAL_SETS)[number];

export const evalRequestSchema = z.strictObject({
  set: z.enum([...EVAL_SETS, 'all']).default('all'),
  /** So many cases of the trigger set and days of the digest set, spread over them; all without. */
  limit: z.coerce.number().int().min(1).max(10_000).optional(),
});
export type EvalRequest = z.infer<typeof evalRequestSchema>;

const tokens = z.int().min(0);

export const evalPlanSchema = z.object({
  provider: z.string(),
  model: z.string(),
  /** How often it would be asked, and about what that costs. */
  calls: tokens,
  input_tokens: tokens,
  output_tokens: tokens,
  /** What is left of `agent.tokens_per_day` today. */
  left_today: tokens,
});
export type EvalPlan = z.infer<typeof evalPlanSchema>;

/** Of those it spoke up for, how many it should have; of those it should have, how many it did. */
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
  /** That went on to the model. */
  asked: z.int(),
  phase_one: scoreSchema,
  both_phases: scoreSchema,
  hard: z.object({ cases: z.int(), phase_one: scoreSchema, both_phases: scoreSchema }),
  /** Answers to anybody but the owner; each is an error, whatever was said. */
  answered_others: z.int(),
  /** Answers of the model that are none of the three labels, or that did not come: met with silence. */
  unread: z.int(),
  /** Of the owner's messages that it sorted. */
  label_accuracy: z.number().nullable(),
  /** What the owner's message is → what it was taken for. `no_mention` is one that phase 1 let pass. */
  confusion: perLabel(perLabel(z.int())),
});
export type TriggerReport = z.infer<typeof triggerReportSchema>;

const digestDaySchema = z.object({
  group: z.string(),
  day: z.string(),
  facts: z.int(),
  /** As the model judged it. Null where no digest came of it, or no judgement. */
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
  /** Something sensitive, or something that was taken back. */
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

/** In the order it happens. The last one is `done` or `error`, and there is exactly one of them. */
const evalEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), set: z.enum(EVAL_SETS), done: z.int(), of: z.int() }),
  z.object({ type: z.literal('done'), report: evalReportSchema }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
]);
export type EvalEvent = z.infer<typeof evalEventSchema>;

// Relay's own sets run against the owner's model, as the route calls it. Implemented by the daemon's `eval`;
// every refusal is a RelayError from the one table.

export interface EvalService {
  /** Asks no model. */
  plan(request: EvalRequest): Promise<EvalPlan>;
  /**
   * Resolves when the last event was told: `done` or `error`. Aborting the signal ends it; what was spent
   * by then is counted. One at a time.
   */
  run(request: EvalRequest, sink: (event: EvalEvent) => void, signal: AbortSignal): Promise<void>;
}
