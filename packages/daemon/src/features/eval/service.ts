// `relay eval`: runs the evaluation sets that ship with Relay against the owner's model. It reads no chat and sends no
// message; it only records the model tokens it used.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type {
  DigestReport,
  EvalPlan,
  EvalRequest,
  EvalService,
  EvalSet,
  TriggerReport,
} from '@relay/contract/api/eval';
import { RelayError } from '@relay/contract/errors';
import { runId } from '@relay/contract/ids';
import type { AgentSettings } from '@relay/contract/settings';
import { type DayUse, dayBudgetError } from '@relay/core/agent/budget';
import { estimateTokens } from '@relay/core/agent/context-window';
import type { LabelledText, TrustedText } from '@relay/core/agent/labelled-text';
import {
  type DigestDayCase,
  digestDayCases,
  digestReport,
  digestSetLineSchema,
  digestSetSchema,
  EVAL_TAINT,
  type EvaluatedDay,
  judgeQuestion,
  readJudgement,
} from '@relay/core/eval/digest-set';
import { sampleEvenly } from '@relay/core/eval/score';
import {
  caseTriggerQuestion,
  passesPhaseOne,
  type TriggerCase,
  triggerCaseSchema,
  triggerReport,
} from '@relay/core/eval/trigger-set';
import { type BufferLine, bufferLines } from '@relay/core/observer/buffer';
import { dailyText } from '@relay/core/observer/digest/format';
import {
  type DayBoundary,
  type DigestPeriod,
  dayByName,
  formatGroupDate,
  formatHours,
  formatZoneClock,
  hourContaining,
} from '@relay/core/observer/digest/periods';
import {
  DIGEST_TOKENS,
  type DigestQuestion,
  dailyQuestion,
  hourlyQuestion,
  parseDaily,
  parseHourly,
  retryDigestQuestion,
} from '@relay/core/observer/digest/prompt';
import { maskPrivate } from '@relay/core/observer/mask/mask';
import { readTriggerLabel, triggerPrompt } from '@relay/core/observer/trigger/prompt';
import { findZone } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Clock } from '../../models/agent/clock.ts';
import type { ModelSource, OpenedModel } from '../../models/agent/model.ts';
import { createAgentSession } from '../../models/agent/session.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { noteRunSpending, spentTodaySql } from '../../platform/db/runs.ts';

/** Concurrent questions: more are of no use to a local model, and a remote one is fast enough with these. */
const CONCURRENT_QUESTIONS = 4;

export function createEvalService(deps: EvalDeps): EvalService {
  let running = false;
  return {
    async plan(request) {
      const { provider, name } = await deps.models.open();
      const chosen = await chooseCases(request);
      return {
        provider,
        model: name,
        ...totalCost(chosen),
        left_today: await tokensLeftToday(deps),
      };
    },
    async run(request, sink, signal) {
      if (running) throw new RelayError('eval_running');
      running = true;
      try {
        const model = await deps.models.open();
        const { trigger, digest } = await chooseCases(request);
        const asked = createEvalModel(deps, model, signal);
        const progress = (set: EvalSet, { calls: of }: EvalCost) => {
          let done = 0;
          return {
            places: CONCURRENT_QUESTIONS,
            done: () => sink({ type: 'progress', set, done: ++done, of }),
          };
        };
        const report = {
          provider: model.provider,
          model: model.name,
          spent: asked.spent,
          trigger:
            trigger &&
            (await runTriggerCases(
              trigger,
              asked,
              progress('trigger', estimateTriggerCost(trigger)),
            )),
          digest:
            digest &&
            (await runDigestCases(digest, asked, progress('digest', estimateDigestCost(digest)))),
        };
        sink({ type: 'done', report });
      } finally {
        running = false;
      }
    },
  };
}

interface ChosenCases {
  readonly trigger: readonly TriggerCase[] | null;
  readonly digest: readonly DigestDayCase[] | null;
}

async function chooseCases({ set, limit }: EvalRequest): Promise<ChosenCases> {
  const wanted = (name: EvalSet) => set === 'all' || set === name;
  return {
    trigger: wanted('trigger') ? sampleEvenly(await readTriggerSet(), limit) : null,
    digest: wanted('digest') ? sampleEvenly(await readDigestSet(), limit) : null,
  };
}

const totalCost = ({ trigger, digest }: ChosenCases): EvalCost =>
  addCosts(
    trigger === null ? NO_COST : estimateTriggerCost(trigger),
    digest === null ? NO_COST : estimateDigestCost(digest),
  );

// Asks the owner's model one question, without tools and without memory. Its tokens count towards the owner's daily
// budget like those of agents, and the run ends when that is used up.

interface EvalDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly now: () => Date;
  readonly zone: string;
  readonly models: ModelSource;
  readonly clock: Clock;
  readonly limits: AgentSettings;
}

interface EvalQuestion {
  readonly instructions: TrustedText;
  readonly text: LabelledText;
}

interface EvalModel {
  /**
   * The answer; null when there was none although the model is reachable. Rejects when further questions are pointless.
   */
  ask(question: EvalQuestion): Promise<string | null>;
  readonly spent: { calls: number; input_tokens: number; output_tokens: number };
}

function createEvalModel(deps: EvalDeps, model: OpenedModel, signal: AbortSignal): EvalModel {
  const { db, lease, limits, clock } = deps;
  // Not a run of an agent: the tokens count for the day, but there is no row in `runs`.
  const run = runId(randomUUID());
  const spent = { calls: 0, input_tokens: 0, output_tokens: 0 };
  return {
    spent,
    async ask({ instructions, text }) {
      const session = createAgentSession({
        model,
        instructions,
        tools: [],
        limits,
        clock,
        hooks: {
          signal,
          alreadyRead: EVAL_TAINT,
          beforeReading: async () => {},
          onUsage: async (cost) => {
            spent.calls += 1;
            spent.input_tokens += cost.inputTokens;
            spent.output_tokens += cost.outputTokens;
            const spending = { run, clock: deps, usedBefore: sql<number>`0` };
            const { day } = await noteRunSpending(db, lease, spending, cost);
            const fault = dayBudgetError(limits, day);
            if (fault !== null) throw fault;
          },
        },
      });
      try {
        return (await session.ask(instructions, text)).text;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RelayError && error.isRetryable) return null;
        throw error;
      }
    },
  };
}

async function tokensLeftToday(deps: EvalDeps): Promise<number> {
  const { db, lease, limits } = deps;
  const { rows } = await sql<{ day: DayUse }>`
    SELECT ${spentTodaySql(lease.account, deps)} AS day`.execute(db);
  return Math.max(0, limits.tokens_per_day - (rows[0]?.day.tokens ?? 0));
}

// The expected cost of a set, before the model is called.

type EvalCost = Pick<EvalPlan, 'calls' | 'input_tokens' | 'output_tokens'>;

const NO_COST: EvalCost = { calls: 0, input_tokens: 0, output_tokens: 0 };

const addCosts = (one: EvalCost, other: EvalCost): EvalCost => ({
  calls: one.calls + other.calls,
  input_tokens: one.input_tokens + other.input_tokens,
  output_tokens: one.output_tokens + other.output_tokens,
});

// Maps items with limited concurrency and keeps their order. After the first failure it waits for what is running and
// starts nothing more.

async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  places: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  let failed = false;
  const workers = Array.from({ length: Math.min(places, items.length) }, async () => {
    for (const [place, item] of waiting) {
      if (failed) return;
      try {
        results[place] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  });
  const ended = await Promise.allSettled(workers);
  const broken = ended.find((each) => each.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return results;
}

// Runs the trigger set against a model: phase 1 as for every message, phase 2 for what it passes on, with the same
// prompt and parser as for an observed group.

/** `{"label": "false_positive"}`, and a little more for a talkative model. */
const TOKENS_OF_A_LABEL = 15;

function estimateTriggerCost(cases: readonly TriggerCase[]): EvalCost {
  const questions = cases.filter(passesPhaseOne).map(casePrompt);
  return {
    calls: questions.length,
    input_tokens: questions.reduce((sum, each) => sum + triggerPromptTokens(each), 0),
    output_tokens: questions.length * TOKENS_OF_A_LABEL,
  };
}

async function runTriggerCases(
  cases: readonly TriggerCase[],
  asking: EvalModel,
  progress: { readonly places: number; done(): void },
): Promise<TriggerReport> {
  const sorted = await mapConcurrently(cases, progress.places, async (given) => {
    if (!passesPhaseOne(given)) return { given };
    const answer = await asking.ask(casePrompt(given));
    progress.done();
    return { given, label: answer === null ? null : readTriggerLabel(answer) };
  });
  return triggerReport(sorted);
}

const casePrompt = (given: TriggerCase): EvalQuestion =>
  triggerPrompt(caseTriggerQuestion(given), EVAL_TAINT);
const triggerPromptTokens = ({ instructions, text }: EvalQuestion): number =>
  estimateTokens(instructions.text + text.text);

// Runs the digest set against a model: each day by hours and then as a whole, with the same masking, prompts and parser
// as for an observed group. Then the model judges which facts the digest contains.

/** The days of the set are calendar days. */
const MIDNIGHT = '00:00';
const TOKENS_OF_A_JUDGEMENT = 40;
const CHARACTERS_A_TOKEN = 3;

interface Hour extends DigestPeriod {
  readonly lines: readonly BufferLine[];
}

function estimateDigestCost(days: readonly DigestDayCase[]): EvalCost {
  const costs = days.map((given) => {
    const hours = hoursIn(given);
    const hourly = hours.map((hour) => hourQuestion(given, hour));
    const lines = hours.map(() => 'x'.repeat(DIGEST_TOKENS.hourly * CHARACTERS_A_TOKEN));
    const daily = dayQuestion(given, lines);
    const judged = judgeQuestion(given.facts, 'x'.repeat(DIGEST_TOKENS.daily * CHARACTERS_A_TOKEN));
    const questions = [...hourly, daily, judged];
    const answered = hours.length * DIGEST_TOKENS.hourly + DIGEST_TOKENS.daily;
    return {
      calls: questions.length,
      input_tokens: questions.reduce((sum, each) => sum + digestPromptTokens(each), 0),
      output_tokens: answered + TOKENS_OF_A_JUDGEMENT,
    };
  });
  const sum = (of: (cost: EvalCost) => number) => costs.reduce((all, cost) => all + of(cost), 0);
  return {
    calls: sum(({ calls }) => calls),
    input_tokens: sum(({ input_tokens }) => input_tokens),
    output_tokens: sum(({ output_tokens }) => output_tokens),
  };
}

async function runDigestCases(
  days: readonly DigestDayCase[],
  asking: EvalModel,
  progress: { readonly places: number; done(): void },
): Promise<DigestReport> {
  const counting = {
    ask: async (question: EvalQuestion) => {
      const answer = await asking.ask(question);
      progress.done();
      return answer;
    },
  };
  const made = await mapConcurrently(days, progress.places, (given) => makeDay(given, counting));
  return digestReport(made);
}

type AskEvalModel = Pick<EvalModel, 'ask'>;

async function makeDay(given: DigestDayCase, asking: AskEvalModel): Promise<EvaluatedDay> {
  const { zone } = caseDayBoundary(given);
  const hours: { start: Date; text: string }[] = [];
  for (const hour of hoursIn(given)) {
    const body = await readTwice(asking, hourQuestion(given, hour), parseHourly);
    if (body !== null)
      hours.push({ start: hour.start, text: `${formatHours(hour, zone)}: ${body}` });
  }
  const hourly = hours.map(({ text }) => text);
  if (hours.length === 0) return { given, daily: null, hourly, toldFactIds: null };
  const beginnings = new Map(hours.map(({ start }) => [formatZoneClock(start, zone), start]));
  const question = dayQuestion(given, hourly);
  const parts = await readTwice(asking, question, (answer, again) =>
    parseDaily(answer, {
      day: caseDay(given).start,
      hourAt: (clock) => beginnings.get(clock) ?? null,
      acceptsProse: again,
      tokenLimit: DIGEST_TOKENS.daily,
    }),
  );
  if (parts === null) return { given, daily: null, hourly, toldFactIds: null };
  const text = dailyText(parts);
  const toldFactIds = await readTwice(asking, judgeQuestion(given.facts, text), (answer) =>
    readJudgement(answer, given.facts),
  );
  return { given, daily: { text, tokens: estimateTokens(text) }, hourly, toldFactIds };
}

/** Asks once more if the first answer cannot be parsed, as for a group. */
async function readTwice<Result>(
  asking: AskEvalModel,
  question: DigestQuestion,
  read: (answer: string, again: boolean) => Result | null,
): Promise<Result | null> {
  const first = read((await asking.ask(question)) ?? '', false);
  return first ?? read((await asking.ask(retryDigestQuestion(question))) ?? '', true);
}

/** Hours that contain messages. */
function hoursIn(given: DigestDayCase): readonly Hour[] {
  const cut = caseDayBoundary(given);
  const { start, end } = caseDay(given);
  const masked = maskPrivate(given.judged, given.names);
  const bounds = { from: start, to: end, zone: cut.zone, tokens: Number.POSITIVE_INFINITY };
  const content = new Set(
    given.judged.flatMap(({ message, verdict }) => (verdict.noise ? [] : message.id)),
  );
  const hours = Map.groupBy(
    bufferLines(masked, bounds),
    ({ at }) => +hourContaining(at, cut).start,
  );
  return [...hours.values()].flatMap((lines) => {
    const [first] = lines;
    const telling = lines.some(({ ids }) => ids.some((id) => content.has(id)));
    return first === undefined || !telling ? [] : { ...hourContaining(first.at, cut), lines };
  });
}

const hourQuestion = (given: DigestDayCase, hour: Hour): DigestQuestion =>
  hourlyQuestion({
    from: EVAL_TAINT,
    group: given.group,
    delimiter: randomMark(),
    hours: formatHours(hour, caseDayBoundary(given).zone),
    lines: hour.lines.map(({ text }) => text),
  });

const dayQuestion = (given: DigestDayCase, lines: readonly string[]): DigestQuestion =>
  dailyQuestion({
    from: EVAL_TAINT,
    group: given.group,
    delimiter: randomMark(),
    date: `${formatGroupDate(caseDay(given).start, caseDayBoundary(given).zone)} (${given.day})`,
    lines,
  });

const randomMark = (): string => `group-${randomUUID().slice(0, 8)}`;

function caseDayBoundary({ zone }: DigestDayCase): DayBoundary {
  const named = findZone(zone);
  if (named === null) throw new Error(`the set names no zone: ${zone}`);
  return { zone: named, dailyAt: MIDNIGHT };
}

function caseDay(given: DigestDayCase): DigestPeriod {
  const day = dayByName(given.day, caseDayBoundary(given));
  if (day === null) throw new Error(`the set names no day: ${given.day}`);
  return day;
}

const digestPromptTokens = ({ instructions, text }: EvalQuestion): number =>
  estimateTokens(instructions.text + text.text);

// Loads the evaluation sets that ship with Relay. All people in them are invented; `eval-sets/README.md` says what they
// contain and how they were labelled.

const EVAL_SETS_URL = new URL('./eval-sets/', import.meta.url);

const readJsonLines = async (name: string): Promise<unknown[]> =>
  (await readFile(new URL(name, EVAL_SETS_URL), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

export async function readTriggerSet(): Promise<readonly TriggerCase[]> {
  return triggerCaseSchema.array().parse(await readJsonLines('triggers.jsonl'));
}

/** One case per group and day. */
export async function readDigestSet(): Promise<readonly DigestDayCase[]> {
  const text = await readFile(new URL('digest-facts.json', EVAL_SETS_URL), 'utf8');
  const { groups } = digestSetSchema.parse(JSON.parse(text));
  const days = await Promise.all(
    Object.values(groups).map(async (group) =>
      digestDayCases(group, digestSetLineSchema.array().parse(await readJsonLines(group.file))),
    ),
  );
  return days.flat();
}
