// The digest set against a model: each day by its hours and then as a whole, with the very masking, prompts
// and reading that an observed group gets; then the model says which facts the digest tells.
import { randomUUID } from 'node:crypto';
import { estimateTokens } from '@relay/core/agent/tokens';
import type { DigestReport } from '@relay/core/api/eval';
import type { DayCase } from '@relay/core/eval/days';
import {
  digestReport,
  INVENTED,
  judgeQuestion,
  type MadeDay,
  readJudgement,
} from '@relay/core/eval/digest';
import { type BufferLine, bufferLines } from '@relay/core/observer/buffer';
import { clockOf, dateOf, hoursOf } from '@relay/core/observer/digest/clock';
import { parseDaily, parseHourly } from '@relay/core/observer/digest/parse';
import { type Cut, dayNamed, hourOf, type Period } from '@relay/core/observer/digest/periods';
import {
  askedAgain,
  DIGEST_TOKENS,
  type DigestQuestion,
  dailyQuestion,
  hourlyQuestion,
} from '@relay/core/observer/digest/prompt';
import { dailyText } from '@relay/core/observer/digest/text';
import { maskPrivate } from '@relay/core/observer/mask/mask';
import { zoneNamed } from '@relay/core/schedule/zone';
import type { Asking, Question } from './ask.ts';
import type { Cost } from './cost.ts';
import { eachOf } from './pool.ts';

/** Days of the set are days of the calendar. */
const MIDNIGHT = '00:00';
const TOKENS_OF_A_JUDGEMENT = 40;
const CHARACTERS_A_TOKEN = 3;

interface Hour extends Period {
  readonly lines: readonly BufferLine[];
}

export function digestCost(days: readonly DayCase[]): Cost {
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
      input_tokens: questions.reduce((sum, each) => sum + tokensOf(each), 0),
      output_tokens: answered + TOKENS_OF_A_JUDGEMENT,
    };
  });
  const sum = (of: (cost: Cost) => number) => costs.reduce((all, cost) => all + of(cost), 0);
  return {
    calls: sum(({ calls }) => calls),
    input_tokens: sum(({ input_tokens }) => input_tokens),
    output_tokens: sum(({ output_tokens }) => output_tokens),
  };
}

export async function runDigests(
  days: readonly DayCase[],
  asking: Asking,
  told: { readonly places: number; done(): void },
): Promise<DigestReport> {
  const counting = {
    ask: async (question: Question) => {
      const answer = await asking.ask(question);
      told.done();
      return answer;
    },
  };
  const made = await eachOf(days, told.places, (given) => makeDay(given, counting));
  return digestReport(made);
}

type Ask = Pick<Asking, 'ask'>;

async function makeDay(given: DayCase, asking: Ask): Promise<MadeDay> {
  const { zone } = cutOf(given);
  const hours: { start: Date; text: string }[] = [];
  for (const hour of hoursIn(given)) {
    const body = await readTwice(asking, hourQuestion(given, hour), parseHourly);
    if (body !== null) hours.push({ start: hour.start, text: `${hoursOf(hour, zone)}: ${body}` });
  }
  const hourly = hours.map(({ text }) => text);
  if (hours.length === 0) return { given, daily: null, hourly, told: null };
  const beginnings = new Map(hours.map(({ start }) => [clockOf(start, zone), start]));
  const question = dayQuestion(given, hourly);
  const parts = await readTwice(asking, question, (answer, again) =>
    parseDaily(answer, {
      day: dayOf(given).start,
      hourAt: (clock) => beginnings.get(clock) ?? null,
      proseWillDo: again,
      room: DIGEST_TOKENS.daily,
    }),
  );
  if (parts === null) return { given, daily: null, hourly, told: null };
  const text = dailyText(parts);
  const judged = await readTwice(asking, judgeQuestion(given.facts, text), (answer) =>
    readJudgement(answer, given.facts),
  );
  return { given, daily: { text, tokens: estimateTokens(text) }, hourly, told: judged };
}

/** Once more if the first answer cannot be read, as it is done for a group. */
async function readTwice<Result>(
  asking: Ask,
  question: DigestQuestion,
  read: (answer: string, again: boolean) => Result | null,
): Promise<Result | null> {
  const first = read((await asking.ask(question)) ?? '', false);
  return first ?? read((await asking.ask(askedAgain(question))) ?? '', true);
}

/** Those with something in them. */
function hoursIn(given: DayCase): readonly Hour[] {
  const cut = cutOf(given);
  const { start, end } = dayOf(given);
  const masked = maskPrivate(given.judged, given.names);
  const bounds = { from: start, to: end, zone: cut.zone, tokens: Number.POSITIVE_INFINITY };
  const content = new Set(
    given.judged.flatMap(({ message, verdict }) => (verdict.noise ? [] : message.id)),
  );
  const hours = Map.groupBy(bufferLines(masked, bounds), ({ at }) => +hourOf(at, cut).start);
  return [...hours.values()].flatMap((lines) => {
    const [first] = lines;
    const telling = lines.some(({ ids }) => ids.some((id) => content.has(id)));
    return first === undefined || !telling ? [] : { ...hourOf(first.at, cut), lines };
  });
}

const hourQuestion = (given: DayCase, hour: Hour): DigestQuestion =>
  hourlyQuestion({
    from: INVENTED,
    group: given.group,
    mark: mark(),
    hours: hoursOf(hour, cutOf(given).zone),
    lines: hour.lines.map(({ text }) => text),
  });

const dayQuestion = (given: DayCase, lines: readonly string[]): DigestQuestion =>
  dailyQuestion({
    from: INVENTED,
    group: given.group,
    mark: mark(),
    date: `${dateOf(dayOf(given).start, cutOf(given).zone)} (${given.day})`,
    lines,
  });

const mark = (): string => `group-${randomUUID().slice(0, 8)}`;

function cutOf({ zone }: DayCase): Cut {
  const named = zoneNamed(zone);
  if (named === null) throw new Error(`the set names no zone: ${zone}`);
  return { zone: named, dailyAt: MIDNIGHT };
}

function dayOf(given: DayCase): Period {
  const day = dayNamed(given.day, cutOf(given));
  if (day === null) throw new Error(`the set names no day: ${given.day}`);
  return day;
}

const tokensOf = ({ instructions, text }: Question): number =>
  estimateTokens(instructions.text + text.text);
