// The cost of an evaluation and its result, as a person reads them: plain tables, shares in per cent.
import type {
  DigestReport,
  EvalPlan,
  EvalReport,
  Score,
  TriggerReport,
} from '@relay/core/api/eval';
import { SORTED } from '@relay/core/eval/labels';
import { count, oneLine } from '../../format.ts';
import type { Terminal } from '../../terminal.ts';

type Colours = Pick<Terminal['colours'], 'dim' | 'bold'>;

const figure = new Intl.NumberFormat('en');
const number = (value: number): string => figure.format(value);
const percent = (share: number | null): string =>
  share === null ? '–' : `${(share * 100).toFixed(1)} %`;

export function costLines(plan: EvalPlan): string[] {
  const tokens = plan.input_tokens + plan.output_tokens;
  const model = `${oneLine(plan.provider)} ${oneLine(plan.model)}`;
  const cost = `This asks ${model} ${count(plan.calls, 'question')}: about ${number(plan.input_tokens)} tokens in and ${number(plan.output_tokens)} out.`;
  const left = `They count towards today, where ${number(plan.left_today)} are left.`;
  return tokens <= plan.left_today
    ? [cost, left]
    : [cost, left, 'That is not enough: it will end before it is done. Try --limit.'];
}

export function reportLines(report: EvalReport, colours: Colours): string[] {
  const { spent, trigger, digest } = report;
  const parts = [
    ...(trigger === null ? [] : triggerLines(trigger, colours)),
    ...(digest === null ? [] : digestLines(digest, colours)),
  ];
  const model = `${oneLine(report.provider)} ${oneLine(report.model)}`;
  const cost = `${model}: ${count(spent.calls, 'question')}, ${number(spent.input_tokens)} tokens in, ${number(spent.output_tokens)} out.`;
  return [...parts, colours.dim(cost)];
}

function triggerLines(report: TriggerReport, colours: Colours): string[] {
  const { hard } = report;
  return [
    colours.bold(
      `Trigger: ${count(report.cases, 'case')}, ${report.asked} of them put to the model`,
    ),
    ...table([
      ['', 'precision', 'recall', 'right', 'wrong', 'missed'],
      scoreRow('phase 1 alone', report.phase_one),
      scoreRow('both phases', report.both_phases),
      scoreRow(`phase 1, ${hard.cases} hard`, hard.phase_one),
      scoreRow('both, hard', hard.both_phases),
    ]),
    '',
    `Labels right: ${percent(report.label_accuracy)}. Answers nobody could read: ${report.unread}. Answers to others than the owner: ${report.answered_others}.`,
    colours.dim('What the owner’s messages are (rows), and what they were taken for:'),
    ...table([
      ['', ...SORTED],
      ...SORTED.map((was) => [was, ...SORTED.map((as) => String(report.confusion[was][as]))]),
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
      `Digests: ${count(days.length, 'day')}, facts found ${percent(report.fact_recall)}, ${count(report.leaks, 'leak')}`,
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
      'The model judged its own digests; leaks are found by pattern, so a paraphrase may slip through.',
    ),
    '',
  ];
}

/** The first column to the left, figures to the right. */
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
