import { verifies } from '@relay/testing/verifies';
import { beforeEach, describe, expect, test } from 'vitest';
import { conversationFixture, lines, ONE, whole } from '../../testing/conversation-fixture.ts';
import { instanceOf, lineOf } from '../../testing/fake-conversations.ts';

const fixture = conversationFixture();
const GET_A_QUOTE = ['create', '--objective', 'Get a quote', '--contact', '+491701234567'];

describe('before any request', () => {
  test.each([
    [['create'], 'Missing: --objective and --contact.'],
    [['create', '--objective', 'a'], 'Missing: --contact.'],
    [['create', '--contact', '+491701234567'], 'Missing: --objective.'],
    [
      ['create', '--objective', ' ', '--contact', '+491701234567'],
      '--objective: the text is empty.',
    ],
    [[...GET_A_QUOTE, '--heartbeat', 'soon'], '--heartbeat: give a time such as 90s'],
    [[...GET_A_QUOTE, '--heartbeat', '31d'], '--heartbeat: the time between follow-ups'],
    [[...GET_A_QUOTE, '--max-followups', '101'], '--max-followups: give a whole number'],
    [[...GET_A_QUOTE, '--max-followups', '-1'], '--max-followups: give a whole number'],
    [[...GET_A_QUOTE, '--todos', ''], '--todos: the text is empty.'],
    [[...GET_A_QUOTE, '--todos', '@missing'], '--todos: missing cannot be read.'],
    [[...GET_A_QUOTE, '--set', 'a=b'], '--set: it needs a template'],
    [[...GET_A_QUOTE, '--template', 'missing'], '--template: missing cannot be read.'],
    [['list', '--state', 'LOST'], 'Give --state one of CREATED, QUEUED'],
    [['get'], "Missing required argument 'id'."],
    [['get', 'xyz'], '"xyz" is not a valid id.'],
    [['get', '1a2'], '"1a2" is not a valid id.'],
    [['pause'], "Missing required argument 'id'."],
    [['send', ONE], "Missing required argument 'message'."],
    [['send', ONE, ' '], 'The message: the text is empty.'],
  ])('relay %j reports the mistake and exits with 2', async (args, sentence) => {
    verifies('003-CLI-VALIDATES');
    const { exit, out, err } = await fixture.run(...args);
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toContain(sentence);
    expect(lines(err)).toHaveLength(1);
    expect(fixture.asked()).toEqual([]);
  });
});

describe('relay create', () => {
  test('prints only the id, and requests exactly what was given', async () => {
    const { exit, out, err } = await fixture.run(...GET_A_QUOTE);
    expect({ exit, out, err }).toEqual({
      exit: 0,
      out: 'c0ffee00-0000-4000-8000-000000000000\n',
      err: '',
    });
    const body = { objective: 'Get a quote', target_contact: '+491701234567', todos: [] };
    expect(fixture.asked()).toEqual([{ asked: 'POST /api/instances', body }]);
  });

  test('accepts a name that means one person, and sends their number', async () => {
    verifies('SETUP-CONTACT-NAME');
    const { exit, err } = await fixture.run('create', '--objective', 'a', '--contact', 'Ana');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(fixture.asked()).toContainEqual({
      asked: 'POST /api/instances',
      body: { objective: 'a', target_contact: '+491701234567', todos: [] },
    });
  });

  test('takes todos and facts as options and from files, and the follow-up interval in words', async () => {
    fixture.leave('a.txt', 'Two\r\n\n  Three\n');
    fixture.leave('b.txt', '\ufeffFour');
    const { exit } = await fixture.run(
      ...GET_A_QUOTE,
      ...['--todos', 'One', '--todos', '@a.txt', '--todos-file', 'b.txt'],
      ...['--fact', 'We open at 9', '--fact', 'We close at 6'],
      ...['--heartbeat', '1h30m', '--max-followups', '0'],
    );
    expect(exit).toBe(0);
    expect(fixture.asked()[0]?.body).toMatchObject({
      todos: [{ text: 'One' }, { text: 'Two' }, { text: 'Three' }, { text: 'Four' }],
      facts: ['We open at 9', 'We close at 6'],
      heartbeat_config: { interval_ms: 5_400_000, max_followups: 0 },
    });
  });

  test('fills in a template, whose values options override', async () => {
    fixture.leave(
      'quote.yaml',
      'objective: Get a quote for {{what}}\ncontact: "{{phone}}"\ntodos:\n  - Ask about {{what}}\nheartbeat: 2h\n',
    );
    const with_ = ['create', '--template', 'quote.yaml', '--set', 'what=two: rooms'];
    expect(await fixture.run(...with_)).toMatchObject({
      exit: 2,
      err: 'quote.yaml, line 2: {{phone}} has no value. Give one with `--set phone=…`.\n',
    });
    expect(await fixture.run(...with_, '--set', 'colour=red')).toMatchObject({
      exit: 2,
      err: '--set: quote.yaml has no {{colour}}.\n',
    });
    expect(await fixture.run(...with_, '--contact', '+14155550100')).toMatchObject({ exit: 0 });
    expect(fixture.asked().map(({ body }) => body)).toEqual([
      {
        objective: 'Get a quote for two: rooms',
        target_contact: '+14155550100',
        todos: [{ text: 'Ask about two: rooms' }],
        heartbeat_config: { interval_ms: 7_200_000 },
      },
    ]);
  });

  test('prints the response of the API with --json', async () => {
    const { out } = await fixture.run(...GET_A_QUOTE, '--json');
    expect(JSON.parse(out)).toEqual({ id: expect.stringMatching(/^c0ffee00/), state: 'CREATED' });
  });

  test('tells only a person at a terminal what comes next', async () => {
    expect(await whole(fixture.onTerminal(120, ...GET_A_QUOTE))).toMatch(
      /^c0ffee00-[\d-]+\nThe agent will write to \+491701234567\. Follow it with `relay transcript c0ffee00 -f`\.\n$/,
    );
    fixture.put('taken', '');
    expect(await whole(fixture.onTerminal(120, ...GET_A_QUOTE))).toContain(
      'another conversation with +491701234567 is open',
    );
  });

  test.each([
    ['COMPLETED', 0],
    ['NEEDS_HUMAN_INTERVENTION', 10],
    ['FAILED', 11],
    ['ABANDONED', 12],
  ] as const)('--wait follows it to %s and exits with %d', async (state, code) => {
    const { ended, out } = fixture.following(...GET_A_QUOTE, '--wait');
    await expect.poll(out).toMatch(/^c0ffee00-[\d-]+\n/);
    const id = lines(out())[0] ?? '';
    fixture.transcript({ instance_id: id, content: 'Good morning', delivery: 'sent' });
    await expect.poll(out).toContain('agent    Good morning  sent ✓');
    fixture.instances({ id, state, reason: 'So it was.' });
    expect(await ended).toBe(code);
    expect(lines(out()).at(-1)).toMatch(new RegExp(`^${state}: So it was\\.`));
  });

  test('--wait shows a cancelled conversation as cancelled and exits as for a failed one', async () => {
    const { ended, out } = fixture.following(...GET_A_QUOTE, '--wait');
    await expect.poll(out).toMatch(/^c0ffee00-[\d-]+\n/);
    const id = lines(out())[0] ?? '';
    fixture.instances({ id, state: 'FAILED', failure_reason: 'cancelled' });
    expect(await ended).toBe(11);
    expect(lines(out()).at(-1)).toBe('CANCELLED: The conversation was cancelled.');
  });

  test('ends only the watching on Ctrl-C, not the conversation', async () => {
    const { ended, out, interrupt } = fixture.following(...GET_A_QUOTE, '--wait');
    await expect.poll(() => fixture.asked().at(-1)?.asked).toContain('/transcript');
    interrupt();
    expect(await ended).toBe(130);
    expect(lines(out())).toHaveLength(1);
    expect(
      fixture
        .asked()
        .map(({ asked }) => asked)
        .filter((asked) => asked.startsWith('POST')),
    ).toEqual(['POST /api/instances']);
  });

  test('prints a line for each message and each change with --wait --json', async () => {
    const { ended, out } = fixture.following(...GET_A_QUOTE, '--wait', '--json');
    await expect.poll(() => lines(out()).length).toBe(2);
    const [created, first] = lines(out()).map((line) => JSON.parse(line));
    expect(first.instance.id).toBe(created.id);
    fixture.transcript({ delivery: 'sent' });
    fixture.instances({ id: created.id, state: 'COMPLETED' });
    expect(await ended).toBe(0);
    const said = lines(out()).map((line) => JSON.parse(line));
    expect(said.filter(({ message }) => message)).toEqual([
      { message: lineOf({ delivery: 'sent' }) },
    ]);
    expect(said.at(-1)).toEqual({ instance: instanceOf({ id: created.id, state: 'COMPLETED' }) });
  });

  describe('with --result', () => {
    const SCHEMA = { type: 'object', properties: { price: { type: 'number' } } };
    const ASKED = [...GET_A_QUOTE, '--result', 'schema.json'];
    const id = 'c0ffee00-0000-4000-8000-000000000000';
    beforeEach(() => fixture.leave('schema.json', JSON.stringify(SCHEMA)));
    const ended = {
      id,
      state: 'COMPLETED',
      result_schema: SCHEMA,
      result_status: 'valid',
      result: { price: 80 },
      result_reason: null,
      result_from_contact: true,
    } as const;
    const created = () => expect.poll(() => fixture.asked().at(-1)?.asked).toContain('/transcript');

    test('sends the schema, and refuses one outside the subset with the place', async () => {
      verifies('CONV-RESULT-SCHEMA');
      await fixture.run(...ASKED);
      expect(fixture.asked()[0]?.body).toMatchObject({ result_schema: SCHEMA });
      for (const [schema, sentence] of [
        ['{', '--result schema.json: it is not valid JSON.'],
        ['{"type":"array"}', '--result schema.json: /type must be "object" for a result.'],
      ] as const) {
        fixture.leave('schema.json', schema);
        const { exit, err } = await fixture.run(...ASKED);
        expect([exit, err]).toEqual([2, expect.stringContaining(sentence)]);
      }
      expect(fixture.asked()).toHaveLength(1);
    });

    test('--wait prints only the result, with its progress on standard error', async () => {
      const { ended: over, out, err } = fixture.following(...ASKED, '--wait');
      await created();
      fixture.instances(ended);
      expect(await over).toBe(0);
      expect(JSON.parse(out())).toEqual({ price: 80 });
      expect(err()).toContain('COMPLETED');
    });

    test('--wait --json prints the conversation with its result', async () => {
      const { ended: over, out } = fixture.following(...ASKED, '--wait', '--json');
      await created();
      fixture.instances(ended);
      expect(await over).toBe(0);
      expect(JSON.parse(out())).toMatchObject(ended);
    });

    test.each([
      ['COMPLETED', 'missing', 13],
      ['COMPLETED', 'invalid', 13],
      ['ABANDONED', 'none', 12],
      ['FAILED', 'none', 11],
      ['NEEDS_HUMAN_INTERVENTION', 'pending', 10],
    ] as const)(
      'prints nothing for %s with a result that is %s and exits with %d',
      async (state, result_status, code) => {
        const { ended: over, out } = fixture.following(...ASKED, '--wait');
        await created();
        fixture.instances({ ...ended, state, result_status, result: null, result_reason: 'So.' });
        expect([await over, out()]).toEqual([code, '']);
      },
    );

    test('--timeout ends the wait and not the conversation', async () => {
      const { ended: over, out, err } = fixture.following(...ASKED, '--wait', '--timeout', '1s');
      expect([await over, out()]).toEqual([14, '']);
      expect(err()).toContain('The conversation continues.');
      const { exit } = await fixture.run(...GET_A_QUOTE, '--timeout', '1s');
      expect(exit).toBe(2);
    });
  });
});
