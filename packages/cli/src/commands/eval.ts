// `relay eval`: measures how well the owner's model handles observed groups, on the data sets that ship with Relay. It
// states the cost and asks first; none of the owner's data is read or sent.

import { TRIGGER_CASE_LABELS } from '@relay/contract/api/constants';
import type {
  DigestReport,
  EvalEvent,
  EvalPlan,
  EvalReport,
  Score,
  TriggerReport,
} from '@relay/contract/api/eval';
import { streamAnswer } from '@relay/contract/client/answer-stream';
import { RelayApiError } from '@relay/contract/client/api-error';
import { RelayError } from '@relay/contract/errors';
import { clientOf, postStream } from '../api.ts';
import type { CommandCall, CommandOptions, RunCommand } from '../command.ts';
import { formatCount, toOneLine } from '../format.ts';
import { askUser, canAsk } from '../prompt.ts';
import type { Terminal } from '../terminal.ts';

const INTERRUPTED = 130;
const FAILED = 500;
const SETS = ['trigger', 'digest', 'all'] as const;
type EvalSet = (typeof SETS)[number];

export const runEvalCommand: RunCommand = async (call) => {
  const { config, terminal, options } = call;
  const request = parseEvalRequest(options);
  const plan = await clientOf(config.home).get('/api/eval', { query: request });
  if (!(await confirmCost(call, plan))) return 0;
  const stopped = new AbortController();
  const stop = () => stopped.abort(new Error('stopped'));
  process.once('SIGINT', stop);
  try {
    const report = await followEval(call, request, stopped.signal);
    if (terminal.json) terminal.writeJson(report);
    else for (const line of formatEvalReport(report, terminal.colours)) terminal.writeLine(line);
    return 0;
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    terminal.clearTransient();
    return INTERRUPTED;
  } finally {
    process.off('SIGINT', stop);
  }
};

interface EvalRequest {
  readonly set: EvalSet;
  readonly limit?: number;
}

function parseEvalRequest(options: CommandOptions): EvalRequest {
  const set = SETS.find((each) => each === options.set);
  if (set === undefined)
    throw new RelayError('usage', { what: 'Give --set one of trigger, digest, all.' });
  if (options.limit === undefined) return { set };
  const limit = Number(options.limit);
  if (Number.isInteger(limit) && limit >= 1) return { set, limit };
  throw new RelayError('usage', { what: 'Give --limit a whole number, such as `--limit 20`.' });
}

async function confirmCost({ terminal, options }: CommandCall, plan: EvalPlan): Promise<boolean> {
  if (!terminal.json) for (const line of formatEvalCost(plan)) terminal.notice(line);
  if (options.yes === true) return true;
  if (terminal.json || !canAsk())
    throw new RelayError('usage', { what: 'This spends model tokens. Add --yes to confirm.' });
  terminal.clearTransient();
  return /^y(es)?$/i.test(await askUser('Continue? [y/N] '));
}

async function followEval(
  { config, terminal }: CommandCall,
  body: EvalRequest,
  signal: AbortSignal,
): Promise<EvalReport> {
  const asked = { path: '/api/eval', body };
  for await (const event of streamAnswer<EvalEvent>(asked, postStream(config.home), signal)) {
    if (event.type === 'progress') {
      if (terminal.isInteractive) terminal.progress(`${event.set}: ${event.done} of ${event.of}`);
    } else if (event.type === 'error') throw new RelayApiError(FAILED, event.code, event.message);
    else return event.report;
  }
  throw new RelayError('answer_broke_off');
}

// Formats the cost and the results of an evaluation as plain tables with percentages.

type Colours = Pick<Terminal['colours'], 'dim' | 'bold'>;

const figure = new Intl.NumberFormat('en');
const number = (value: number): string => figure.format(value);
const percent = (share: number | null): string =>
  share === null ? '–' : `${(share * 100).toFixed(1)} %`;

export function formatEvalCost(plan: EvalPlan): string[] {
  const tokens = plan.input_tokens + plan.output_tokens;
  const model = `${toOneLine(plan.provider)} ${toOneLine(plan.model)}`;
  const cost = `This makes ${formatCount(plan.calls, 'model call')} to ${model}: about ${number(plan.input_tokens)} input and ${number(plan.output_tokens)} output tokens.`;
  const left = `They count towards today’s budget, which has ${number(plan.left_today)} tokens left.`;
  return tokens <= plan.left_today
    ? [cost, left]
    : [cost, left, 'That is not enough to finish. Use --limit.'];
}

export function formatEvalReport(report: EvalReport, colours: Colours): string[] {
  const { spent, trigger, digest } = report;
  const parts = [
    ...(trigger === null ? [] : triggerLines(trigger, colours)),
    ...(digest === null ? [] : digestLines(digest, colours)),
  ];
  const model = `${toOneLine(report.provider)} ${toOneLine(report.model)}`;
  const cost = `${model}: ${formatCount(spent.calls, 'model call')}, ${number(spent.input_tokens)} input and ${number(spent.output_tokens)} output tokens.`;
  return [...parts, colours.dim(cost)];
}

function triggerLines(report: TriggerReport, colours: Colours): string[] {
  const { hard } = report;
  return [
    colours.bold(
      `Trigger: ${formatCount(report.cases, 'case')}, ${report.asked} sent to the model`,
    ),
    ...table([
      ['', 'precision', 'recall', 'right', 'wrong', 'missed'],
      scoreRow('phase 1 only', report.phase_one),
      scoreRow('both phases', report.both_phases),
      scoreRow(`phase 1, ${hard.cases} hard`, hard.phase_one),
      scoreRow('both, hard', hard.both_phases),
    ]),
    '',
    `Correct labels: ${percent(report.label_accuracy)}. Unreadable answers: ${report.unread}. Answers to people other than the owner: ${report.answered_others}.`,
    colours.dim('Labels of the owner’s messages (rows: expected, columns: detected):'),
    ...table([
      ['', ...TRIGGER_CASE_LABELS],
      ...TRIGGER_CASE_LABELS.map((was) => [
        was,
        ...TRIGGER_CASE_LABELS.map((as) => String(report.confusion[was][as])),
      ]),
    ]),
    '',
  ];
}

const scoreRow = (name: string, score: Score): string[] => [
  name,
  percent(score.precision),
  percent(score.recall),
  String(score.right),
  String(score.wrong),
  String(score.missed),
];

function digestLines(report: DigestReport, colours: Colours): string[] {
  const { days } = report;
  const leaks = days.flatMap((day) => day.leaks.map((leak) => ({ day, leak })));
  return [
    colours.bold(
      `Digests: ${formatCount(days.length, 'day')}, facts found ${percent(report.fact_recall)}, ${formatCount(report.leaks, 'leak')}`,
    ),
    ...table([
      ['group', 'day', 'facts', 'leaks', 'tokens'],
      ...days.map((day) => [
        day.group,
        day.day,
        day.found === null ? 'no digest' : `${day.found} of ${day.facts}`,
        String(day.leaks.length),
        String(day.tokens),
      ]),
    ]),
    ...leaks.map(({ day, leak }) => `  ${day.group} ${day.day}, ${leak.reason}: ${leak.fact}`),
    colours.dim(
      'The model rated its own digests. Leaks are found by pattern, so paraphrased ones may be missed.',
    ),
    '',
  ];
}

/** Aligns the first column left and the figures right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .replace(/^/, '  ')
      .trimEnd(),
  );
}
