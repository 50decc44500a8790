// `relay chat` against a fake daemon, run as a program and by a person at a terminal.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval } from '@relay/contract/api/approvals';
import { removeFolder } from '@relay/testing/remove-folder';
import { CTRL_C, CTRL_D, startTerminalUser } from '@relay/testing/terminal-user';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { build, open, type Relay } from '../../testing/command.ts';
import type { Script, Step } from '../../testing/fake-assistant.ts';

let built: string;
let relay: Relay;
beforeAll(() => {
  built = build();
});
afterAll(() => removeFolder(built));
beforeEach(async () => {
  relay = await open(built);
  await relay.serve();
});
afterEach(() => relay.end());

const script = (given: Script) =>
  writeFileSync(join(relay.home, 'assistant.json'), JSON.stringify(given));
const asked = (): { asked: string; body: unknown }[] =>
  readFileSync(join(relay.home, 'asked.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const questions = () =>
  asked().flatMap(({ asked: route, body }) =>
    route === 'POST /api/assistant/messages' ? [(body as { text: string }).text] : [],
  );
const routes = () => asked().map(({ asked: route }) => route);

const APPROVAL: Approval = {
  id: 'a1b2',
  state: 'pending',
  kind: 'send_message',
  recipient: '+14155551234',
  recipient_name: 'Mom',
  chat_id: 'h1',
  text: 'Yes!\nAt eight.',
  hidden_characters: [],
  when: null,
  shown: 'ab'.repeat(32),
  reason: 'Each message needs your confirmation before it is sent.',
  reason_code: 'confirm',
  risks: [],
  requested_by: 'assistant',
  requested_by_name: null,
  instance_id: null,
  created_at: '2026-11-15T11:00:00.000Z',
  expires_at: '2026-11-17T12:00:00.000Z',
  decided_at: null,
  answer: null,
  replaced_by: null,
};

const LOOKING: readonly Step[] = [
  { type: 'run', id: 'r1', question: '1' },
  { type: 'text', delta: 'Let me ' },
  { type: 'text', delta: 'look.' },
  { type: 'tool_call', id: 'c1', name: 'get_chats', arguments: { limit: 5 } },
  { type: 'tool_result', id: 'c1', result: '{"chats":[{"name":"Mom"},{"name":"Bob"}]}' },
  { type: 'text', delta: 'Mom wrote: call ' },
  { type: 'text', delta: 'me.' },
  { type: 'done', text: 'Mom wrote: call me.' },
];

const SENDING: readonly Step[] = [
  { type: 'run', id: 'r1', question: '1' },
  { type: 'tool_call', id: 'c1', name: 'send_message', arguments: { to: 'Mom' } },
  { type: 'approval', approval: APPROVAL },
  { type: 'until_answered' },
  { type: 'tool_result', id: 'c1', result: '{"status":"on its way"}' },
  { type: 'done', text: 'Done.' },
];

describe('one question', () => {
  test('prints the answer on standard output and the tool calls on standard error', async () => {
    script({ turns: [LOOKING] });
    expect(await relay.call('chat', 'What', 'did Mom write?')).toEqual({
      exit: 0,
      out: 'Let me look.\nMom wrote: call me.\n',
      err: '  · get_chats (limit: 5): 2 chats\n',
    });
    expect(questions()).toEqual(['What did Mom write?']);
  });

  test('reads a question of several lines from standard input', async () => {
    script({ turns: [[{ type: 'done', text: 'Two lines.' }]] });
    expect(await relay.pipe('one\ntwo\n', 'chat')).toEqual({
      exit: 0,
      out: 'Two lines.\n',
      err: '',
    });
    expect(questions()).toEqual(['one\ntwo']);
    expect(await relay.pipe(' \n', 'chat')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('There is no question.'),
    });
  });

  test('prints one event per line with --json', async () => {
    script({ turns: [SENDING.filter(({ type }) => type !== 'until_answered')] });
    const { exit, out, err } = await relay.call('chat', '--json', 'send it');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type)).toEqual([
      'run',
      'tool_call',
      'approval',
      'tool_result',
      'done',
    ]);
    expect(events[2].approval).toEqual(APPROVAL);
  });

  test('reports a failure with its sentence and its exit code', async () => {
    const failed = { type: 'error', code: 'model_busy', message: 'The model is busy.' } as const;
    script({ turns: [[{ type: 'text', delta: 'half' }, failed], [failed]] });
    expect(await relay.call('chat', 'hi')).toEqual({
      exit: 8,
      out: 'half\n',
      err: 'The model is busy.\n',
    });
    const { exit, out, err } = await relay.call('chat', 'hi', '--json');
    expect({ exit, out: JSON.parse(out) }).toEqual({ exit: 8, out: failed });
    expect(JSON.parse(err)).toMatchObject({ code: 'model_busy' });
  });

  test('reports an answer that was interrupted', async () => {
    script({
      turns: [[{ type: 'text', delta: 'half of ' }, { type: 'wait', ms: 50 }, { type: 'break' }]],
    });
    expect(await relay.call('chat', 'hi')).toMatchObject({
      exit: 3,
      out: 'half of \n',
      err: expect.stringContaining('The answer was interrupted'),
    });
  });

  test('names the pending approval without deciding it when nobody can be asked', async () => {
    script({ turns: [SENDING.filter(({ type }) => type !== 'until_answered')] });
    const { exit, out, err } = await relay.call('chat', 'send it');
    expect({ exit, out }).toEqual({ exit: 0, out: 'Done.\n' });
    expect(err).toContain('Approval needed: message to Mom (+14155551234)');
    expect(err).toContain('  │ Yes!\n  │ At eight.\n');
    expect(err).toContain('relay approvals approve a1b2');
    expect(routes().filter((route) => route.includes('approvals'))).toEqual([]);
  });

  test('stops the turn on Ctrl-C and exits with 130', async () => {
    script({
      turns: [
        [
          { type: 'text', delta: 'I begin ' },
          { type: 'wait', ms: 60_000 },
        ],
      ],
    });
    const child = relay.spawn('chat', 'hi');
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
    await expect.poll(routes).toContain('stopped');
  });

  test('starts a new chat with --new and shows earlier messages with --history', async () => {
    const at = '2020-01-02T03:04:00.000Z';
    const kept = { command: false, at, run: null, steps: [], sources: [], outside: false };
    script({
      history: [
        { id: '1', role: 'user', content: 'older', ...kept },
        { id: '2', role: 'user', content: 'Hello\u001b[2J', ...kept },
        { id: '3', role: 'assistant', content: 'Hi!\nHow are you?', ...kept },
      ],
    });
    const { out } = await relay.call('chat', '--history', '2', '--new', 'again');
    expect(out).toMatch(
      /^you 01-0\d \d\d:04\nHello⟨U\+001B⟩\[2J\n\nassistant .+\nHi!\nHow are you\?\n\nHere I am\.\n$/,
    );
    expect(routes().slice(0, 2)).toEqual([
      'POST /api/assistant/reset',
      'GET /api/assistant/messages?limit=2',
    ]);
    expect(await relay.call('chat', '--history', 'all', 'x')).toMatchObject({ exit: 2 });
  });

  test('says how to start the daemon when none runs', async () => {
    await relay.stopServing();
    expect(await relay.call('chat', 'hi')).toMatchObject({
      exit: 3,
      err: 'Daemon not running. Run `relay start` first.\n',
    });
  });
});

const seat = () => ({ built, home: relay.home });

describe('a person at a terminal', () => {
  test('sees streamed words and one line for each tool call, and leaves with Ctrl-D', async () => {
    script({
      turns: [
        [...LOOKING.slice(0, 6), { type: 'wait', ms: 300 }, ...LOOKING.slice(6)],
        [{ type: 'done', text: 'Relay is running.' }],
      ],
    });
    const person = startTerminalUser(seat(), 'chat');
    await person.until('Ctrl-D quits.');
    await person.until('you: ');
    person.type('What did Mom write?\r');
    await person.until('Let me look.\n');
    await person.until('  · get_chats (limit: 5): 2 chats\n');
    await person.until('Mom wrote: call ');
    await person.until('me.\n');
    await person.until('you: ');
    person.type('/status\r');
    await person.until('Relay is running.\n');
    await person.until('you: ');
    person.type(CTRL_D);
    expect(await person.exit).toBe(0);
    expect(questions()).toEqual(['What did Mom write?', '/status']);
    expect(person.seen().match(/Mom wrote: call me\./g)).toHaveLength(1);
  });

  test.each([
    ['y', 'approve'],
    ['Yes', 'approve'],
    ['', 'reject'],
    ['n', 'reject'],
    ['yep', 'reject'],
  ])('sees recipient and text before anything is sent: %j means %s', async (answer, verb) => {
    script({ turns: [SENDING] });
    const person = startTerminalUser(seat(), 'chat');
    await person.until('you: ');
    person.type('Tell Mom yes\r');
    await person.until('message to Mom (+14155551234)\n  │ Yes!\n  │ At eight.\n');
    await person.until('Send it? [y/N] ');
    expect(routes().join()).not.toContain('approvals');
    person.type(`${answer}\r`);
    await person.until('send_message (to: Mom): on its way');
    await person.until('Done.\n');
    await person.until('you: ');
    person.type(CTRL_D);
    expect(await person.exit).toBe(0);
    expect(routes().filter((route) => route.includes('approvals'))).toEqual([
      `POST /api/approvals/a1b2/${verb}`,
    ]);
  });

  test('does not take an answer that was typed before the question', async () => {
    script({
      turns: [
        [{ type: 'run', id: 'r1', question: '1' }, { type: 'wait', ms: 800 }, ...SENDING.slice(1)],
      ],
    });
    const person = startTerminalUser(seat(), 'chat');
    await person.until('you: ');
    person.type('Tell Mom yes\r');
    await person.until('Thinking');
    person.type('y\ry\ry');
    await person.until('Send it? [y/N] ');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(routes().join()).not.toContain('approvals');
    person.type('\r');
    await person.until('Done.\n');
    expect(routes().join()).toContain('approvals/a1b2/reject');
    person.type(CTRL_D);
    await person.exit;
  });

  test('sees an unanswered question withdrawn and reported as pending', async () => {
    const pending = { type: 'tool_result', id: 'c1', result: '{"status":"waits"}' } as const;
    script({
      turns: [
        [
          ...SENDING.slice(0, 3),
          { type: 'wait', ms: 600 },
          pending,
          { type: 'done', text: 'It is pending.' },
        ],
      ],
    });
    const person = startTerminalUser(seat(), 'chat');
    await person.until('you: ');
    person.type('Tell Mom yes\r');
    await person.until('Send it? [y/N] ');
    await person.until('Approval pending. Answer with `relay approvals approve a1b2`');
    await person.until('It is pending.\n');
    await person.until('you: ');
    person.type(CTRL_D);
    expect(await person.exit).toBe(0);
    expect(routes().join()).not.toContain('/approve');
  });

  test('stops an answer with Ctrl-C and continues chatting, and leaves with a second Ctrl-C', async () => {
    const endless: Step[] = [
      { type: 'text', delta: 'I begin ' },
      { type: 'wait', ms: 60_000 },
    ];
    script({ turns: [endless, [{ type: 'done', text: 'Still here.' }], endless] });
    const person = startTerminalUser(seat(), 'chat');
    await person.until('you: ');
    person.type('go\r');
    await person.until('I begin');
    person.type(CTRL_C);
    await person.until('Stopped. Completed actions are not undone.');
    await expect.poll(routes).toContain('stopped');
    await person.until('you: ');
    person.type('and now?\r');
    await person.until('Still here.');
    await person.until('you: ');
    person.type('go\r');
    await person.until('I begin');
    person.type(CTRL_C);
    await person.until('Stopped.');
    await person.until('you: ');
    person.type(CTRL_C);
    expect(await person.exit).toBe(0);
  });

  test('declines and stops the turn with Ctrl-C at the question', async () => {
    script({ turns: [SENDING] });
    const person = startTerminalUser(seat(), 'chat');
    await person.until('you: ');
    person.type('Tell Mom yes\r');
    await person.until('Send it? [y/N] ');
    person.type(CTRL_C);
    await person.until('Stopped.');
    await expect.poll(routes).toContain('POST /api/approvals/a1b2/reject');
    await person.until('you: ');
    person.type(CTRL_D);
    expect(await person.exit).toBe(0);
  });

  test('sends pasted lines as one question, and no question for an empty line', async () => {
    const person = startTerminalUser(seat(), 'chat');
    await person.until('you: ');
    person.type('\r');
    await person.until('you: ');
    person.type('one\rtwo\rthree\r');
    await person.until('Here I am.');
    await person.until('you: ');
    person.type('/quit\r');
    expect(await person.exit).toBe(0);
    expect(questions()).toEqual(['one\ntwo\nthree']);
  });

  test('sees no text that controls the terminal, and lines wrapped between words', async () => {
    const text = 'Some \u001b[31mred\u0007 words that do not fit into thirty columns at once.';
    script({
      turns: [
        [
          { type: 'text', delta: text },
          { type: 'done', text },
        ],
      ],
    });
    const person = startTerminalUser({ ...seat(), columns: 30, env: { NO_COLOR: '1' } }, 'chat');
    await person.until('you: ');
    person.type('go\r');
    await person.until(
      'Some ⟨U+001B⟩[31mred⟨U+0007⟩\nwords that do not fit into\nthirty columns at once.\n',
    );
    await person.until('you: ');
    person.type(CTRL_D);
    await person.exit;
  });

  test('sees when an answer restarts, and the whole answer at the end', async () => {
    script({
      turns: [
        [
          { type: 'text', delta: 'Half an ans' },
          { type: 'text_reset' },
          { type: 'text', delta: 'A whole answer.' },
          { type: 'done', text: 'A whole answer.' },
        ],
      ],
    });
    const person = startTerminalUser(seat(), "chat 'hi'");
    await person.until('Half an ans\n');
    await person.until('Trying again:\n');
    await person.until('A whole answer.\n');
    expect(await person.exit).toBe(0);
  });

  test('is asked for approval during a single question too', async () => {
    script({ turns: [SENDING] });
    const person = startTerminalUser(seat(), "chat 'tell Mom yes'");
    await person.until('Send it? [y/N] ');
    person.type('y\r');
    await person.until('Done.\n');
    expect(await person.exit).toBe(0);
    expect(routes()).toContain('POST /api/approvals/a1b2/approve');
  });

  test('sees a failure and can continue chatting', async () => {
    script({ turns: [[{ type: 'error', code: 'model_busy', message: 'The model is busy.' }]] });
    const person = startTerminalUser(seat(), 'chat');
    await person.until('you: ');
    person.type('hi\r');
    await person.until('The model is busy.\n');
    await person.until('you: ');
    person.type('again\r');
    await person.until('Here I am.');
    person.type(CTRL_D);
    expect(await person.exit).toBe(0);
  });
});
