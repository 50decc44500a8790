import { expect, test } from 'vitest';
import { EVAL_PLAN, EVAL_REPORT } from '../testing/answers.ts';
import { formatEvalCost, formatEvalReport } from './eval.ts';

const COLOURS = { dim: (text: unknown) => `(${text})`, bold: (text: unknown) => `*${text}*` };

test('shows the cost beforehand, and whether the daily budget covers it', () => {
  expect(formatEvalCost(EVAL_PLAN)).toEqual([
    'This asks ollama qwen3 4 questions: about 2,900 tokens in and 60 out.',
    'They count towards today, where 2,000,000 are left.',
  ]);
  expect(formatEvalCost({ ...EVAL_PLAN, left_today: 1_000 }).at(-1)).toContain('not enough');
});

test('shows the scores of the trigger, hard cases separately, and the confusions', () => {
  const lines = formatEvalReport({ ...EVAL_REPORT, digest: null }, COLOURS);
  expect(lines).toEqual([
    '*Trigger: 6 cases, 4 of them put to the model*',
    '                   precision   recall  right  wrong  missed',
    '  phase 1 alone       75.0 %  100.0 %      3      1       0',
    '  both phases        100.0 %  100.0 %      3      0       0',
    '  phase 1, 0 hard          –        –      0      0       0',
    '  both, hard               –        –      0      0       0',
    '',
    'Labels right: 75.0 %. Answers nobody could read: 1. Answers to others than the owner: 0.',
    '(What the owner’s messages are (rows), and what they were taken for:)',
    '                  direct_request  mention_only  false_positive  no_mention',
    '  direct_request               3             0               0           0',
    '  mention_only                 0             0               0           0',
    '  false_positive               0             0               0           0',
    '  no_mention                   0             0               0           2',
    '',
    '(ollama qwen3: 4 questions, 2,811 tokens in, 40 out.)',
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
