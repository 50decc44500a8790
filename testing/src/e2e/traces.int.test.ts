// Traces of the shipped daemon: people write from phones, the scripted model answers and calls tools, and a collector
// that accepts only OTLP receives the timings. No byte of it contains anybody's text, name or number.
import {
  openCollector,
  type SpanSeen,
  wordsIn,
} from '@relay/daemon/features/traces/testing/collector';
import { expect, onTestFinished, test } from 'vitest';
import { ME, openAcceptanceHarness } from './acceptance/harness.ts';
import { FIRST, send } from './acceptance/script.ts';
import { eventually } from './gateway.ts';

const PATIENCE_MS = 90_000;
const dashless = (id: unknown) => String(id).replaceAll('-', '');
const named = (spans: readonly SpanSeen[], name: string) => {
  const span = spans.find((one) => one.name === name);
  if (span === undefined) throw new Error(`no ${name} among ${spans.map((one) => one.name)}`);
  const { startTimeUnixNano, endTimeUnixNano } = span;
  return { ...span, from: BigInt(startTimeUnixNano), to: BigInt(endTimeUnixNano) };
};

test("a collector gets all timings, across kills and its own outages, and never anybody's text", {
  timeout: 400_000,
}, async () => {
  let collector = await openCollector();
  const { port } = collector;
  const harness = await openAcceptanceHarness();
  onTestFinished(() => harness.end());
  onTestFinished(() => collector.close());
  const { relay } = harness;
  const on = { RELAY_TRACES_ENDPOINT: collector.url, RELAY_TRACES_HEADERS: 'x-key=k1' };
  const mom = await harness.person('Mathilda');
  await harness.api.ok('POST', '/api/whatsapp/permissions', {
    ...{ phoneNumber: mom.phone, displayName: mom.name, canRead: true, canReply: true },
  });
  const says = (contains: string, text: string) =>
    harness.model.rules([{ when: { system: mom.name, contains }, reply: { text } }]);
  const answered = async (word: string) => {
    says(word, `The canary of ${word} answers.`);
    await mom.writes(`Where is the ${word} canary?`);
    await mom.reads(`The canary of ${word} answers.`);
    const [row] = await relay.query(
      "SELECT id FROM relay.runs WHERE actor LIKE 'auto_reply:%' ORDER BY started_at DESC LIMIT 1",
    );
    return dashless(row?.id);
  };
  const arrived = (trace: string, most = 1) =>
    eventually(
      `the trace ${trace}`,
      async () => {
        const its = collector.traces().get(trace);
        return its !== undefined && its.length >= most ? its : undefined;
      },
      PATIENCE_MS,
    );

  // Not configured: nothing is sent, nothing is recorded.
  const before = await answered('first');
  expect(await relay.query('SELECT 1 FROM relay.trace_progress')).toEqual([]);
  expect(collector.connections()).toBe(0);
  await relay.stop();
  await relay.start(on);
  await harness.api.connected();

  const second = await answered('second');
  const spans = await arrived(second);
  const [root, wait, model, gate, deliver] = [
    ...['relay.turn', 'relay.wait', 'invoke_agent auto_reply', 'relay.gate', 'relay.deliver'],
  ].map((name) => named(spans, name));
  if (!root || !wait || !model || !gate || !deliver) throw new Error('a span is missing');
  expect(spans).toHaveLength(5);
  expect(root).toMatchObject({ from: wait.from, to: deliver.to });
  expect(wait.to).toBe(model.from);
  expect(model.from).toBeLessThan(model.to);
  expect(model.to).toBeLessThanOrEqual(gate.from);
  expect(gate.to).toBeLessThanOrEqual(deliver.from);
  expect(deliver.from).toBeLessThan(deliver.to);
  expect(wordsIn(root)).toMatchObject({ 'relay.actor': 'auto_reply', 'relay.answer': 'replied' });
  expect(wordsIn(model)).toMatchObject({
    'gen_ai.provider.name': 'openai-compatible',
    'gen_ai.request.model': 'scripted',
    'relay.steps': '1',
  });
  expect(Number(wordsIn(model)['gen_ai.usage.input_tokens'])).toBeGreaterThan(0);
  expect(wordsIn(gate)).toMatchObject({
    'relay.gate.outcome': 'allow',
    'relay.gate.reason': 'standing_grant',
  });
  expect(deliver.events?.map(({ name }) => name)).toContain('relay.delivered');

  // Tools by name, also one that a model made up; their arguments are not recorded.
  const ned = await harness.person('Nedward');
  const madeUp = { name: 'call_nedward_the_canary', arguments: { canary: 'in an argument' } };
  ned.meets(FIRST, madeUp, send('Which day suits the canary?'));
  const conversation = await harness.create(ned);
  await ned.reads('Which day suits the canary?');
  const [run] = await relay.query('SELECT id FROM relay.runs WHERE instance_id = $1', [
    conversation,
  ]);
  const told = await arrived(dashless(run?.id));
  const tools = told.map(({ name }) => name).filter((name) => name.startsWith('execute_tool'));
  expect(tools.toSorted()).toEqual(['execute_tool _OTHER', 'execute_tool send_message']);
  expect(wordsIn(named(told, 'relay.turn'))).toMatchObject({
    'relay.conversation.id': conversation,
  });

  // Sent manually, without a turn.
  const { id } = await harness.api.send(mom.number, 'A canary by hand');
  expect((await arrived(dashless(id))).map(({ name }) => name)).toEqual([
    ...['relay.message', 'relay.gate', 'relay.deliver'],
  ]);

  // The collector is away; the daemon is killed meanwhile; the collector is back.
  const early = { spans: collector.spans, bytes: collector.bytes, faults: collector.faults };
  await collector.close();
  const third = await answered('third');
  await eventually(
    'the log to say it',
    async () =>
      harness.log().some(({ msg }) => msg === 'trace export failed; retrying') || undefined,
    PATIENCE_MS,
  );
  await relay.kill();
  await relay.start(on);
  await harness.api.connected();
  const fourth = await answered('fourth');
  collector = await openCollector(port);
  await arrived(third);
  await arrived(fourth);
  const all = [...early.spans, ...collector.spans];
  const ids = all.map(({ traceId, spanId }) => `${traceId} ${spanId}`);
  expect(new Set(ids).size).toBe(ids.length);
  for (const trace of [second, third, fourth]) {
    expect(all.filter(({ traceId }) => traceId === trace)).toHaveLength(5);
  }
  expect(all.some(({ traceId }) => traceId === before)).toBe(false);

  // Switched off again.
  await relay.stop();
  await relay.start();
  await harness.api.connected();
  const silent = collector.connections();
  await answered('fifth');
  expect(collector.connections()).toBe(silent);

  // A timestamp can look like a phone number, so timestamps are excluded.
  const times = /("(?:start|end)?timeunixnano":)"\d{19}"/g;
  const sent = [...early.bytes, ...collector.bytes].join('\n').toLowerCase();
  const bytes = sent.replace(times, '$1""');
  expect(bytes).not.toBe(sent);
  expect([...early.faults, ...collector.faults]).toEqual([]);
  expect(bytes).toContain('"x-key":"k1"');
  const canaries = ['canary', 'mathilda', 'nedward', 'olga', 'which day', 'visit', 'whatsapp.net'];
  for (const canary of [...canaries, mom.phone, ned.phone, ME, ME.slice(-8)]) {
    expect({ canary, found: bytes.includes(canary) }).toEqual({ canary, found: false });
  }
});
