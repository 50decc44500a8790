import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ConversationInstance, TranscriptLine } from '@relay/core/api/instances';
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { build, open, type Relay } from './testing/command.ts';
import { instanceOf, lineOf } from './testing/fake-conversations.ts';

const ONE = '1a2b3c4d-0000-4000-8000-000000000001';
const TWO = '1a2b9999-0000-4000-8000-000000000002';
const ENDED = '77777777-0000-4000-8000-000000000003';
const GET_A_QUOTE = ['create', '--objective', 'Get a quote', '--contact', '+491701234567'];

let built: string;
let relay: Relay;
beforeAll(async () => {
  built = build();
  relay = await open(built);
  await relay.run('start');
});
afterAll(async () => {
  await relay.end();
  rmSync(built, { recursive: true });
});
beforeEach(() => {
  for (const name of ['instances.json', 'transcript.json', 'transitions.json', 'asked.jsonl']) {
    rmSync(join(relay.home, name), { force: true });
  }
  for (const name of ['taken', 'refused']) rmSync(join(relay.home, name), { force: true });
});

const put = (name: string, value: unknown) =>
  writeFileSync(join(relay.home, name), JSON.stringify(value));
const asked = (): { asked: string; body: Record<string, unknown> | null }[] => {
  const file = join(relay.home, 'asked.jsonl');
  if (!existsSync(file)) return [];
  return lines(readFileSync(file, 'utf8')).map((line) => JSON.parse(line));
};
const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const instances = (...given: Partial<ConversationInstance>[]) =>
  put('instances.json', given.map(instanceOf));
const transcript = (...given: Partial<TranscriptLine>[]) =>
  put('transcript.json', given.map(lineOf));

/** As a person at a terminal of this width sees it; both streams are one there. */
async function onTerminal(columns: number, ...args: string[]): Promise<string> {
  const quoted = [process.execPath, join(built, 'bin/relay.js'), ...args].map((arg) => `'${arg}'`);
  const command = `stty cols ${columns} rows 24; ${quoted.join(' ')}`;
  const env = { PATH: '/usr/bin:/bin', RELAY_HOME: relay.home, TERM: 'xterm', NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)('/usr/bin/script', ['-qec', command, '/dev/null'], {
    env,
  });
  return stdout.replaceAll('\r\n', '\n');
}

/** What a command that goes on has said so far. */
function following(...args: string[]) {
  const child = relay.spawn(...args);
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  const ended = once(child, 'close').then(([exit]) => exit as number | null);
  return { child, ended, out: () => out };
}

describe('before any request', () => {
  test.each([
    [['create'], 'Missing: --objective and --contact.'],
    [['create', '--objective', 'a'], 'Missing: --contact.'],
    [['create', '--contact', '+491701234567'], 'Missing: --objective.'],
    [
      ['create', '--objective', ' ', '--contact', '+491701234567'],
      '--objective: the text is empty.',
    ],
    [['create', '--objective', 'a', '--contact', 'Ana'], '--contact: give a phone number'],
    [[...GET_A_QUOTE, '--heartbeat', 'soon'], '--heartbeat: give a time such as 90s'],
    [[...GET_A_QUOTE, '--heartbeat', '31d'], '--heartbeat: the time between follow-ups'],
    [[...GET_A_QUOTE, '--max-followups', '101'], '--max-followups: give a whole number'],
    [[...GET_A_QUOTE, '--max-followups', '-1'], '--max-followups: give a whole number'],
    [[...GET_A_QUOTE, '--todos', ''], '--todos: the text is empty.'],
    [[...GET_A_QUOTE, '--todos', '@missing'], '--todos: missing cannot be read.'],
    [[...GET_A_QUOTE, '--set', 'a=b'], '--set: it fills in a template'],
    [[...GET_A_QUOTE, '--template', 'missing'], '--template: missing cannot be read.'],
    [['list', '--state', 'LOST'], '--state is one of CREATED, QUEUED'],
    [['get'], "Missing required argument 'id'."],
    [['get', 'xyz'], '"xyz" is no id.'],
    [['get', '1a2'], '"1a2" is no id.'],
    [['pause'], "Missing required argument 'id'."],
    [['send', ONE], "Missing required argument 'message'."],
    [['send', ONE, ' '], 'The message: the text is empty.'],
  ])('relay %j is told what is wrong, with exit 2', async (args, sentence) => {
    verifies('003-CLI-VALIDATES');
    const { exit, out, err } = await relay.run(...args);
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toContain(sentence);
    expect(lines(err)).toHaveLength(1);
    expect(asked()).toEqual([]);
  });
});

describe('relay create', () => {
  test('gives the id and nothing else, and asks for just what was said', async () => {
    const { exit, out, err } = await relay.run(...GET_A_QUOTE);
    expect({ exit, out, err }).toEqual({
      exit: 0,
      out: 'c0ffee00-0000-4000-8000-000000000000\n',
      err: '',
    });
    const body = { objective: 'Get a quote', target_contact: '+491701234567', todos: [] };
    expect(asked()).toEqual([{ asked: 'POST /api/instances', body }]);
  });

  test('takes todos and facts one by one and from files, and the heartbeat in words', async () => {
    writeFileSync(join(relay.work, 'a.txt'), 'Two\r\n\n  Three\n');
    writeFileSync(join(relay.work, 'b.txt'), '\ufeffFour');
    const { exit } = await relay.run(
      ...GET_A_QUOTE,
      ...['--todos', 'One', '--todos', '@a.txt', '--todos-file', 'b.txt'],
      ...['--fact', 'We open at 9', '--fact', 'We close at 6'],
      ...['--heartbeat', '1h30m', '--max-followups', '0'],
    );
    expect(exit).toBe(0);
    expect(asked()[0]?.body).toMatchObject({
      todos: [{ text: 'One' }, { text: 'Two' }, { text: 'Three' }, { text: 'Four' }],
      facts: ['We open at 9', 'We close at 6'],
      heartbeat_config: { interval_ms: 5_400_000, max_followups: 0 },
    });
  });

  test('fills in a template; an option takes the place of what stands there', async () => {
    writeFileSync(
      join(relay.work, 'quote.yaml'),
      'objective: Get a quote for {{what}}\ncontact: "{{phone}}"\ntodos:\n  - Ask about {{what}}\nheartbeat: 2h\n',
    );
    const with_ = ['create', '--template', 'quote.yaml', '--set', 'what=two: rooms'];
    expect(await relay.run(...with_)).toMatchObject({
      exit: 2,
      err: 'quote.yaml, line 2: {{phone}} has no value. Give one with `--set phone=…`.\n',
    });
    expect(await relay.run(...with_, '--set', 'colour=red')).toMatchObject({
      exit: 2,
      err: '--set: there is no {{colour}} in quote.yaml.\n',
    });
    expect(await relay.run(...with_, '--contact', '+14155550100')).toMatchObject({ exit: 0 });
    expect(asked().map(({ body }) => body)).toEqual([
      {
        objective: 'Get a quote for two: rooms',
        target_contact: '+14155550100',
        todos: [{ text: 'Ask about two: rooms' }],
        heartbeat_config: { interval_ms: 7_200_000 },
      },
    ]);
  });

  test('--json is the answer of the API', async () => {
    const { out } = await relay.run(...GET_A_QUOTE, '--json');
    expect(JSON.parse(out)).toEqual({ id: expect.stringMatching(/^c0ffee00/), state: 'CREATED' });
  });

  test('says beside it what comes next, to a person alone', async () => {
    expect(await onTerminal(120, ...GET_A_QUOTE)).toMatch(
      /^c0ffee00-[\d-]+\nThe agent writes to \+491701234567 next\. `relay transcript c0ffee00 -f` follows it\.\n$/,
    );
    writeFileSync(join(relay.home, 'taken'), '');
    expect(await onTerminal(120, ...GET_A_QUOTE)).toContain('comes first');
  });

  test.each([
    ['COMPLETED', 0],
    ['NEEDS_HUMAN_INTERVENTION', 10],
    ['FAILED', 11],
    ['ABANDONED', 12],
  ] as const)('--wait follows it to %s and exits with %d', async (state, code) => {
    const { ended, out } = following(...GET_A_QUOTE, '--wait');
    await expect.poll(out).toMatch(/^c0ffee00-[\d-]+\n/);
    const id = lines(out())[0] ?? '';
    transcript({ instance_id: id, content: 'Good morning', delivery: 'sent' });
    await expect.poll(out).toContain('agent    Good morning  sent ✓');
    instances({ id, state, reason: 'So it was.' });
    expect(await ended).toBe(code);
    expect(lines(out()).at(-1)).toMatch(new RegExp(`^${state}: So it was\\.`));
  });

  test('--wait --json is a line for each message and each change', async () => {
    const { ended, out } = following(...GET_A_QUOTE, '--wait', '--json');
    await expect.poll(() => lines(out()).length).toBe(2);
    const [created, first] = lines(out()).map((line) => JSON.parse(line));
    expect(first.instance.id).toBe(created.id);
    transcript({ delivery: 'sent' });
    instances({ id: created.id, state: 'COMPLETED' });
    expect(await ended).toBe(0);
    const said = lines(out()).map((line) => JSON.parse(line));
    expect(said.filter(({ message }) => message)).toEqual([
      { message: lineOf({ delivery: 'sent' }) },
    ]);
    expect(said.at(-1)).toEqual({ instance: instanceOf({ id: created.id, state: 'COMPLETED' }) });
  });
});

describe('relay list', () => {
  beforeEach(() => {
    instances(
      { id: ENDED, state: 'COMPLETED' },
      {
        id: ONE,
        follow_up_count: 1,
        next_follow_up_at: new Date(Date.now() + 720_000).toISOString(),
        todos: [
          { id: '1', text: 'a', status: 'completed' },
          { id: '2', text: 'b', status: 'pending' },
        ],
      },
      {
        id: TWO,
        state: 'NEEDS_HUMAN_INTERVENTION',
        reason: 'Asks for\n\u001b[2J a day.',
      },
    );
  });

  test('shows every conversation at a glance, those that need the owner first', async () => {
    const { exit, out, err } = await relay.run('list');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(lines(out).map((line) => line.trim().replace(/ {2,}/g, ' | '))).toEqual([
      'ID | CONTACT | STATE | TODOS | FOLLOW-UP | WHY',
      '! 1a2b9999 | +491701234567 | NEEDS_HUMAN_INTERVENTION | Asks for [2J a day.',
      '1a2b3c4d | +491701234567 | WAITING_FOR_REPLY | 1/2 | in 12 min, 2 of 5 | The contact has been written to and has not answered yet.',
      '77777777 | +491701234567 | COMPLETED | The objective was met.',
    ]);
  });

  test('--state narrows it, in any case; nothing found is no failure', async () => {
    const { out } = await relay.run('list', '--state', 'completed', '--json');
    expect(JSON.parse(out).map(({ id }: ConversationInstance) => id)).toEqual([ENDED]);
    expect(await relay.run('list', '--state', 'PAUSED')).toEqual({
      exit: 0,
      out: '',
      err: 'No conversation is PAUSED.\n',
    });
  });

  test('keeps within a narrow window', async () => {
    const shown = await onTerminal(40, 'list');
    const told = shown.slice(0, shown.indexOf('1 conversation waits'));
    for (const line of told.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    expect(told).toContain('! 1a2b9999');
    expect(told).toContain('    1/2 done, in 12 min, 2 of 5\n');
    expect(shown).toContain('1 conversation waits for you');
  });

  test('asks page by page for as many as there are; a terminal is not flooded', async () => {
    const many = Array.from({ length: 1_203 }, (_none, index) => ({
      id: `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`,
      state: 'COMPLETED' as const,
    }));
    instances(...many);
    const { out } = await relay.run('list', '--json');
    expect(JSON.parse(out)).toHaveLength(1_203);
    expect(asked()).toHaveLength(3);
    expect(lines((await relay.run('list')).out)).toHaveLength(1_204);
    const shown = await onTerminal(140, 'list');
    expect(shown).toContain('1183 more have ended: `relay list --all`');
    expect(lines(await onTerminal(140, 'list', '--all'))).toHaveLength(1_204);
  });

  test('--watch tells what changes, as lines for programs', async () => {
    const { child, ended, out } = following('list', '--watch', '--json');
    await expect.poll(() => lines(out()).length).toBe(2);
    instances({ id: ONE, state: 'COMPLETED' }, { id: TWO, state: 'NEEDS_HUMAN_INTERVENTION' });
    await expect.poll(() => lines(out()).length).toBe(4);
    const told = lines(out()).map((line) => JSON.parse(line) as ConversationInstance);
    expect(told.map(({ id, state }) => [id, state]).slice(2)).toEqual([
      [ONE, 'COMPLETED'],
      [TWO, 'NEEDS_HUMAN_INTERVENTION'],
    ]);
    child.kill('SIGINT');
    await ended;
  });

  test('--watch ends with the daemon, and says so', async () => {
    const { child, ended, out } = following('list', '--watch');
    let err = '';
    child.stderr?.on('data', (chunk) => {
      err += chunk;
    });
    await expect.poll(out).toContain('1a2b3c4d');
    await relay.run('stop');
    expect(await ended).toBe(3);
    expect(err).toContain('Run `relay start` first.');
    await relay.run('start');
  });
});

describe('relay get', () => {
  beforeEach(() => {
    instances(
      {
        id: ONE,
        objective: 'Get a \u202equote',
        facts: ['We open at 9'],
        unread: 2,
        todos: [
          { id: '1', text: 'Ask for the price', status: 'completed' },
          { id: '2', text: 'Ask for a day', status: 'in_progress' },
          { id: '3', text: 'Thank them', status: 'pending' },
          { id: '4', text: 'Ask for tea', status: 'skipped' },
        ],
      },
      { id: TWO },
    );
    put(
      'transitions.json',
      Array.from({ length: 12 }, (_none, index) => ({
        instance_id: ONE,
        from_state: 'ACTIVE',
        to_state: 'WAITING_FOR_REPLY',
        trigger: `step_${index}`,
        timestamp: '2026-11-15T08:00:00.000Z',
      })),
    );
  });

  test('shows the whole of it, and what can be done now', async () => {
    const { exit, out } = await relay.run('get', ONE);
    expect(exit).toBe(0);
    for (const part of [
      '● WAITING_FOR_REPLY',
      'The contact has been written to and has not answered yet.',
      'Objective    Get a quote',
      '██████████░░░░░░░░░░ 2 of 4 done',
      '✓ Ask for the price',
      '◐ Ask for a day',
      '○ Thank them',
      '– Ask for tea',
      'after 30 min without an answer, 5 at most; 0 sent',
      'May be told  We open at 9',
      '2 messages that the agent has not read',
      '… 2 before; `--all` shows them',
      'ACTIVE → WAITING_FOR_REPLY  step_11',
      'relay send 1a2b3c4d "…"',
      'relay pause 1a2b3c4d',
      'relay cancel 1a2b3c4d',
    ]) {
      expect(out).toContain(part);
    }
    expect(out).not.toContain('relay resume');
    expect(out).not.toContain('step_1 ');
    expect((await relay.run('get', ONE, '--all')).out).toContain('step_0');
  });

  test('--json is the instance, with how it came there', async () => {
    const { out } = await relay.run('get', '1a2b3', '--json');
    expect(JSON.parse(out)).toMatchObject({ id: ONE, facts: ['We open at 9'] });
    expect(JSON.parse(out).transitions).toHaveLength(12);
  });

  test('an id may be cut short where that is clear', async () => {
    expect(await relay.run('get', '1A2B3')).toMatchObject({ exit: 0 });
    expect(await relay.run('get', '1a2b')).toMatchObject({
      exit: 2,
      err: `More than one id begins with 1a2b: ${ONE} (+491701234567, WAITING_FOR_REPLY), ${TWO} (+491701234567, WAITING_FOR_REPLY). Give more of it.\n`,
    });
    expect(await relay.run('get', 'beef')).toMatchObject({
      exit: 4,
      err: expect.stringContaining('No conversation has an id that begins with beef.'),
    });
    expect(await relay.run('get', ENDED)).toMatchObject({ exit: 4, out: '' });
  });
});

describe('relay transcript', () => {
  beforeEach(() => {
    instances({ id: ONE });
    transcript(
      { id: '1', content: 'Good morning', delivery: 'read' },
      { id: '2', role: 'contact', content: 'Morning!\n\u001b]0;title\u0007How are you?' },
      { id: '3', role: 'manual', content: 'Fine.', delivery: 'failed' },
      { id: '4', role: 'system', content: 'Not sent: nobody is there.' },
    );
  });

  test('shows when, who, what, and how far it has come', async () => {
    const { exit, out } = await relay.run('transcript', ONE);
    expect(exit).toBe(0);
    expect(
      out
        .replace(/(\d\d-\d\d )?\d\d:\d\d/g, 'T')
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      'T  agent    Good morning  read ✓✓',
      'T  contact  Morning!',
      ']0;titleHow are you?',
      'T  you      Fine.  not sent ✗',
      'T  Relay    Not sent: nobody is there.',
      '',
    ]);
  });

  test('--json is what the API answers', async () => {
    const { out } = await relay.run('transcript', ONE, '--json');
    expect(JSON.parse(out)).toHaveLength(4);
  });

  test('nothing was said yet is no failure', async () => {
    transcript();
    expect(await relay.run('transcript', ONE)).toMatchObject({ exit: 0, out: '' });
  });

  test('-f goes on until the conversation ends, each line once', async () => {
    const { ended, out } = following('transcript', ONE, '-f');
    await expect.poll(out).toContain('nobody is there');
    transcript(
      { id: '4', role: 'system', content: 'Not sent: nobody is there.' },
      { id: '5', content: 'Farewell', delivery: 'sent' },
    );
    await expect.poll(out).toContain('Farewell');
    instances({ id: ONE, state: 'COMPLETED' });
    expect(await ended).toBe(0);
    expect(out().match(/Good morning|Farewell/g)).toEqual(['Good morning', 'Farewell']);
  });

  test('-f --json tells a line again when it has come further', async () => {
    transcript({ id: '1', delivery: 'pending' });
    const { ended, out } = following('transcript', ONE, '-f', '--json');
    await expect.poll(() => lines(out()).length).toBe(1);
    transcript({ id: '1', delivery: 'delivered' });
    await expect.poll(() => lines(out()).length).toBe(2);
    instances({ id: ONE, state: 'FAILED' });
    expect(await ended).toBe(0);
    expect(lines(out()).map((line) => JSON.parse(line).delivery)).toEqual(['pending', 'delivered']);
  });

  test('keeps within a narrow window', async () => {
    transcript({ content: `A long text ${'of many words '.repeat(10)}`, delivery: 'delivered' });
    const shown = await onTerminal(30, 'transcript', ONE);
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(30);
    expect(shown).toContain('delivered ✓✓');
  });

  test('on a terminal a mark changes in its place', async () => {
    transcript({ id: '1', content: 'Hello', delivery: 'pending' });
    const shown = onTerminal(80, 'transcript', ONE, '-f');
    await new Promise((resolve) => setTimeout(resolve, 700));
    transcript({ id: '1', content: 'Hello', delivery: 'read' });
    await new Promise((resolve) => setTimeout(resolve, 700));
    instances({ id: ONE, state: 'COMPLETED' });
    const said = await shown;
    expect(said).toContain('Hello  waiting');
    expect(said).toContain('Hello  read ✓✓');
    expect(said.trimEnd()).toMatch(/COMPLETED: The objective was met\.$/);
  });
});

describe('relay pause, resume, cancel and send', () => {
  beforeEach(() => {
    instances(
      { id: ONE },
      { id: TWO, state: 'NEEDS_HUMAN_INTERVENTION' },
      { id: ENDED, state: 'FAILED' },
    );
  });

  test('say what is true now and the next step', async () => {
    expect((await relay.run('pause', ONE)).out).toBe(
      '1a2b3c4d with +491701234567 is paused: nothing is sent until `relay resume 1a2b3c4d`.\n',
    );
    expect((await relay.run('resume', ONE)).out).toBe(
      '1a2b3c4d with +491701234567 goes on (WAITING_FOR_REPLY). The contact has been written to and has not answered yet. `relay transcript 1a2b3c4d -f` follows it.\n',
    );
    expect((await relay.run('cancel', ONE)).out).toContain('is cancelled (FAILED); no farewell');
  });

  test('--json is the instance as it is now', async () => {
    for (const [verb, state] of [
      ['pause', 'PAUSED'],
      ['resume', 'WAITING_FOR_REPLY'],
      ['cancel', 'FAILED'],
    ] as const) {
      const { out } = await relay.run(verb, ONE, '--json');
      expect(JSON.parse(out)).toMatchObject({ id: ONE, state });
    }
  });

  test('what is refused says what is possible instead', async () => {
    expect(await relay.run('resume', ONE)).toEqual({
      exit: 5,
      out: '',
      err: `Instance ${ONE} is WAITING_FOR_REPLY: resuming is not possible now. Possible now: \`relay send 1a2b3c4d "…"\`, \`relay pause 1a2b3c4d\`, \`relay cancel 1a2b3c4d\`.\n`,
    });
    expect((await relay.run('cancel', ENDED)).err).toContain('`relay create` begins another.');
  });

  test('several at once are each told, and one that is refused stops no other', async () => {
    const { exit, out, err } = await relay.run('cancel', ONE, ENDED, TWO);
    expect(exit).toBe(5);
    expect(lines(out).map((line) => line.slice(0, 8))).toEqual(['1a2b3c4d', '1a2b9999']);
    expect(lines(err)).toEqual([expect.stringContaining(ENDED)]);
  });

  test('send takes the words as they come, and says where the message is', async () => {
    const { exit, out } = await relay.run('send', TWO, 'Tuesday', 'is fine');
    expect(exit).toBe(0);
    expect(out).toContain(
      'Your message to +491701234567 is stored and leaves in its turn (ACTIVE).',
    );
    expect(asked().find(({ body }) => body !== null)?.body).toEqual({ message: 'Tuesday is fine' });
    const json = await relay.run('send', TWO, 'Again', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ role: 'manual', delivery: 'pending' });
  });

  test('send says so when the message was refused', async () => {
    writeFileSync(join(relay.home, 'refused'), '');
    expect(await relay.run('send', TWO, 'Tuesday')).toMatchObject({
      exit: 6,
      out: 'Not sent: everything is on hold.\n',
    });
  });

  test('a person is told afterwards that something waits for them, and nobody else is', async () => {
    expect(await onTerminal(120, 'pause', ONE)).toContain(
      '1 conversation waits for you: `relay list --state NEEDS_HUMAN_INTERVENTION`',
    );
    expect((await relay.run('resume', ONE)).err).toBe('');
  });
});
