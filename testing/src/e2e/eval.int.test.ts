// `relay eval` with the shipped command, the shipped daemon, and a scripted model over HTTP.
import { readTriggerSet } from '@relay/daemon/features/eval/service';
import type { ChatRequest } from '@relay/simulator/model/schemas';
import { expect, test } from 'vitest';
import { type LinkedRelay, startLinkedRelay } from './linked.ts';

const said = ({ messages }: ChatRequest, role: string): string =>
  messages
    .filter((message) => message.role === role)
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n');

const isTrigger = (request: ChatRequest): boolean =>
  said(request, 'system').startsWith('You sort messages of a WhatsApp group');

/** The message to classify: the last line of JSON in the request. */
const toSort = (request: ChatRequest): string =>
  JSON.parse(
    said(request, 'user')
      .split('\n')
      .findLast((line) => line.startsWith('{')) ?? '{}',
  ).text;

async function evaluate(linked: LinkedRelay, ...args: string[]) {
  const { exit, out, err } = await linked.command('eval', ...args);
  return { exit, out, err, report: out.startsWith('{') ? JSON.parse(out) : null };
}

test('a model that knows every answer gets full scores, and its usage is counted', {
  timeout: 180_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const labels = new Map(
    (await readTriggerSet()).map(({ text, expect: label }) => [
      text.replaceAll('@900000000000116', '@Annie'),
      label === 'no_mention' ? 'false_positive' : label,
    ]),
  );
  linked.demo.model.play((request) =>
    isTrigger(request) ? { text: `{"label": "${labels.get(toSort(request))}"}` } : undefined,
  );

  const { exit, err, report } = await evaluate(linked, '--set', 'trigger', '--yes', '--json');
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(report.trigger).toMatchObject({
    cases: 474,
    unread: 0,
    answered_others: 0,
    both_phases: { missed: 0, recall: 1 },
  });
  // A text may be in the set twice, said to different people; the map above has one answer for it.
  expect(report.trigger.both_phases.precision).toBeGreaterThan(0.95);
  expect(report.spent.calls).toBe(report.trigger.asked);
  const [row] = await linked.query<{ tokens: string }>('SELECT tokens FROM relay.spending');
  expect(Number(row?.tokens)).toBe(report.spent.input_tokens + report.spent.output_tokens);

  const shown = await evaluate(linked, '--set', 'trigger', '--limit', '30', '--yes');
  expect(shown.exit).toBe(0);
  expect(shown.err).toMatch(
    /^This makes \d+ model calls to openai-compatible scripted: about [\d,]+ input/,
  );
  expect(shown.out).toMatch(/^Trigger: 30 cases, \d+ sent to the model\n/);
  expect(shown.out).toMatch(/^ {2}both phases +100\.0 % +100\.0 %/m);
  expect(shown.out).toMatch(/^ {2}direct_request( +\d+){4}$/m);
});

test('prose, garbage, silence and failures of a model count as unread and never as an answer', {
  timeout: 180_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const answers = ['', 'I cannot tell.', 'direct_request or mention_only?', '{"label":', '🤷'];
  linked.demo.model.play((request) => {
    if (!isTrigger(request)) return undefined;
    const { length } = toSort(request);
    return length % 6 === 5 ? { status: 503 } : { text: answers[length % 6] ?? '' };
  });
  const { exit, report } = await evaluate(
    linked,
    '--set',
    'trigger',
    '--limit',
    '60',
    '--yes',
    '--json',
  );
  expect(exit).toBe(0);
  expect(report.trigger.unread).toBe(report.trigger.asked);
  expect(report.trigger.both_phases).toMatchObject({ right: 0, wrong: 0, precision: null });
});

test('a digest is judged by its facts, and a forbidden fact fails its day', {
  timeout: 180_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  linked.demo.model.play((request) => {
    const [asked, text] = [said(request, 'system'), said(request, 'user')];
    if (asked.startsWith('You sum up one hour'))
      return { text: '{"digest": "Mum asked for a cake."}' };
    if (asked.startsWith('You compare a digest'))
      return text.includes('HbA1c') ? { text: '{"told": [1, 2]}' } : { text: 'All of them!' };
    const secret = text.includes('Holliday') ? ' Nani has HbA1c 8.1.' : '';
    return { text: JSON.stringify({ summary: `Mum asked for a cake.${secret}`, mood: 'Calm.' }) };
  });
  const { exit, err, report } = await evaluate(
    linked,
    '--set',
    'digest',
    '--limit',
    '2',
    '--yes',
    '--json',
  );
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(report.digest).toMatchObject({
    leaks: 1,
    days_failed: 1,
    days: [
      { group: 'Holliday', day: '2026-03-02', found: 2, leaks: [{ reason: 'sensitive' }] },
      { group: 'Casa Limón Team', day: '2026-03-02', found: null, leaks: [] },
    ],
  });
  expect(report.digest.fact_recall).toBeCloseTo(2 / report.digest.days[0].facts);
  const asked = linked.demo.model.calls().map(({ body }) => JSON.stringify(body));
  // Masked or deleted: no model has seen it, so none could repeat it.
  for (const secret of ['4471', 'Saxena']) expect(asked.join()).not.toContain(secret);
});

test('relay eval states its cost and spends nothing before confirmation', {
  timeout: 120_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { exit, err, out } = await evaluate(linked, '--limit', '20');
  expect({ exit, out }).toEqual({ exit: 2, out: '' });
  expect(err).toContain('model calls to openai-compatible scripted');
  expect(err).toContain('Add --yes to confirm.');
  expect(await evaluate(linked, '--set', 'everything', '--yes')).toMatchObject({ exit: 2 });
  expect(linked.demo.model.calls()).toEqual([]);
});

test('a model that refuses ends the evaluation with its sentence', {
  timeout: 120_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  linked.demo.model.play(() => ({ status: 401 }));
  const { exit, out, err } = await evaluate(linked, '--set', 'trigger', '--limit', '20', '--yes');
  expect({ exit, out }).toEqual({ exit: 8, out: '' });
  expect(err).toContain('answered 401');
});
