import { expect, test } from 'vitest';
import { EVAL_PLAN, EVAL_REPORT } from '../testing/answers.ts';
import { formatEvalCost, formatEvalReport } from './eval.ts';

const COLOURS = { dim: (text: unknown) => `(${text})`, bold: (text: unknown) => `*${text}*` };

test('shows the cost beforehand, and whether the daily budget covers it', () => {
  expect(formatEvalCost(EVAL_PLAN)).toEqual([
    'This makes 4 model calls to ollama qwen3: about 2,900 input and 60 output tokens.',
    'They count towards today’s budget, which has 2,000,000 tokens left.',
  ]);
  expect(formatEvalCost({ ...EVAL_PLAN, left_today: 1_000 }).at(-1)).toContain('not enough');
});

test('shows the scores of the trigger, hard cases separately, and the confusions', () => {
  const lines = formatEvalReport({ ...EVAL_REPORT, digest: null }, COLOURS);
  expect(lines).toEqual([
    '*Trigger: 6 cases, 4 sent to the model*',
    '                   precision   recall  right  wrong  missed',
    '  phase 1 only        75.0 %  100.0 %      3      1       0',
    '  both phases        100.0 %  100.0 %      3      0       0',
    '  phase 1, 0 hard          –        –      0      0       0',
    '  both, hard               –        –      0      0       0',
    '',
    'Correct labels: 75.0 %. Unreadable answers: 1. Answers to people other than the owner: 0.',
    '(Labels of the owner’s messages (rows: expected, columns: detected):)',
    '                  direct_request  mention_only  false_positive  no_mention',
    '  direct_request               3             0               0           0',
    '  mention_only                 0             0               0           0',
    '  false_positive               0             0               0           0',
    '  no_mention                   0             0               0           2',
    '',
    '(ollama qwen3: 4 model calls, 2,811 input and 40 output tokens.)',
  ]);
});

test('shows the facts and leaks of each day, and a day without a digest', () => {
  const lines = formatEvalReport({ ...EVAL_REPORT, trigger: null }, COLOURS);
  expect(lines.slice(0, 5)).toEqual([
    '*Digests: 2 days, facts found 85.7 %, 1 leak*',
    '  group                   day      facts  leaks  tokens',
    '  Holliday         2026-03-02   12 of 14      1     512',
    '  Casa Limón Team  2026-03-02  no digest      0       0',
    '  Holliday 2026-03-02, sensitive: A condition',
  ]);
});

test('removes terminal control sequences', () => {
  const name = '\u001b[2Jevil';
  const lines = formatEvalReport({ ...EVAL_REPORT, model: name, provider: name }, COLOURS);
  expect(lines.join('\n')).not.toContain('\u001b');
  expect(formatEvalCost({ ...EVAL_PLAN, model: name }).join()).not.toContain('\u001b');
});
