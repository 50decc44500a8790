import { STATE_SENTENCES } from '@relay/contract/conversation/states';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  conversationFixture,
  ENDED,
  lines,
  ONE,
  TWO,
  whole,
} from '../../testing/conversation-fixture.ts';

const fixture = conversationFixture();

describe('relay get', () => {
  beforeEach(() => {
    fixture.instances(
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
    fixture.put(
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

  test('shows a result as text, or why there is none', async () => {
    const schema = { result_schema: { type: 'object' }, result_from_contact: true } as const;
    const note = '\u001b[31m<b>80</b>';
    const valid = { result_status: 'valid', result: { note }, result_reason: null } as const;
    fixture.instances({ id: ONE, state: 'COMPLETED', ...schema, ...valid });
    const { out } = await fixture.run('get', ONE);
    expect(out).toContain('Result       note: "\\u001b[31m<b>80</b>"');
    expect(out).toContain('From what the contact wrote; not verified.');
    const none = { result_status: 'none', result: null, result_reason: 'Cancelled.' } as const;
    fixture.instances({ id: ONE, state: 'FAILED', ...schema, ...none });
    expect((await fixture.run('get', ONE)).out).toContain('Result       none: Cancelled.');
  });

  test('shows a whole conversation and the commands that are possible now', async () => {
    const { exit, out } = await fixture.run('get', ONE);
    expect(exit).toBe(0);
    for (const part of [
      '● WAITING_FOR_REPLY',
      STATE_SENTENCES.WAITING_FOR_REPLY,
      'Objective    Get a ⟨U+202E⟩quote',
      '██████████░░░░░░░░░░ 2 of 4 done',
      '✓ Ask for the price',
      '◐ Ask for a day',
      '○ Thank them',
      '– Ask for tea',
      'After 1 d without a reply, up to 3',
      'Facts        We open at 9',
      '2 messages not yet read by the agent',
      '… 2 earlier steps (`--all` shows them)',
      'ACTIVE → WAITING_FOR_REPLY  step_11',
      'relay send 1a2b3c4d "…"',
      'relay pause 1a2b3c4d',
      'relay cancel 1a2b3c4d',
    ]) {
      expect(out).toContain(part);
    }
    expect(out).not.toContain('relay resume');
    expect(out).not.toContain('step_1 ');
    expect((await fixture.run('get', ONE, '--all')).out).toContain('step_0');
  });

  test('shows a cancelled conversation as cancelled, and keeps the state of the API with --json', async () => {
    fixture.instances({ id: ONE, state: 'FAILED', failure_reason: 'cancelled' });
    fixture.put('transitions.json', [
      {
        instance_id: ONE,
        from_state: 'ACTIVE',
        to_state: 'FAILED',
        trigger: 'cancel',
        timestamp: '2026-11-15T08:00:00.000Z',
      },
    ]);
    const { out } = await fixture.run('get', ONE);
    expect(out).toContain('● CANCELLED\n  The conversation was cancelled.\n');
    expect(out).toContain('ACTIVE → CANCELLED  cancel');
    expect(out).not.toContain('FAILED');
    expect(JSON.parse((await fixture.run('get', ONE, '--json')).out).state).toBe('FAILED');
  });

  test('prints the instance with its history with --json', async () => {
    const { out } = await fixture.run('get', '1a2b3', '--json');
    expect(JSON.parse(out)).toMatchObject({ id: ONE, facts: ['We open at 9'] });
    expect(JSON.parse(out).transitions).toHaveLength(12);
  });

  test('accepts an unambiguous beginning of an id', async () => {
    expect(await fixture.run('get', '1A2B3')).toMatchObject({ exit: 0 });
    expect(await fixture.run('get', '1a2b')).toMatchObject({
      exit: 2,
      err: `More than one conversation id starts with 1a2b: ${ONE} (+491701234567, WAITING_FOR_REPLY), ${TWO} (+491701234567, WAITING_FOR_REPLY). Give more characters.\n`,
    });
    expect(await fixture.run('get', 'beef')).toMatchObject({
      exit: 4,
      err: expect.stringContaining('There is no conversation whose id starts with beef.'),
    });
    expect(await fixture.run('get', ENDED)).toMatchObject({ exit: 4, out: '' });
  });
});

describe('relay transcript', () => {
  beforeEach(() => {
    fixture.instances({ id: ONE });
    fixture.transcript(
      { id: '1', content: 'Good morning', delivery: 'read' },
      { id: '2', role: 'contact', content: 'Morning!\n\u001b]0;title\u0007How are you?' },
      { id: '3', role: 'manual', content: 'Fine.', delivery: 'failed' },
      { id: '4', role: 'system', content: 'Not sent: the number is not on WhatsApp.' },
    );
  });

  test('shows time, sender, text and delivery state', async () => {
    const { exit, out } = await fixture.run('transcript', ONE);
    expect(exit).toBe(0);
    expect(
      out
        .replace(/(\d\d-\d\d )?\d\d:\d\d/g, 'T')
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      'T  agent    Good morning  read ✓✓',
      'T  contact  Morning!',
      '⟨U+001B⟩]0;title⟨U+0007⟩How are you?',
      'T  you      Fine.  failed ✗',
      'T  Relay    Not sent: the number is not on WhatsApp.',
      '',
    ]);
  });

  test('prints the response of the API with --json', async () => {
    const { out } = await fixture.run('transcript', ONE, '--json');
    expect(JSON.parse(out)).toHaveLength(4);
  });

  test('succeeds for a conversation without messages', async () => {
    fixture.transcript();
    expect(await fixture.run('transcript', ONE)).toMatchObject({ exit: 0, out: '' });
  });

  test('-f follows until the conversation ends, and prints each line once', async () => {
    const { ended, out } = fixture.following('transcript', ONE, '-f');
    await expect.poll(out).toContain('not on WhatsApp');
    fixture.transcript(
      { id: '4', role: 'system', content: 'Not sent: the number is not on WhatsApp.' },
      { id: '5', content: 'Goodbye', delivery: 'sent' },
    );
    await expect.poll(out).toContain('Goodbye');
    fixture.instances({ id: ONE, state: 'COMPLETED' });
    expect(await ended).toBe(0);
    expect(out().match(/Good morning|Goodbye/g)).toEqual(['Good morning', 'Goodbye']);
  });

  test('-f --json prints a line again when its delivery state changes', async () => {
    fixture.transcript({ id: '1', delivery: 'pending' });
    const { ended, out } = fixture.following('transcript', ONE, '-f', '--json');
    await expect.poll(() => lines(out()).length).toBe(1);
    fixture.transcript({ id: '1', delivery: 'delivered' });
    await expect.poll(() => lines(out()).length).toBe(2);
    fixture.instances({ id: ONE, state: 'FAILED' });
    expect(await ended).toBe(0);
    expect(lines(out()).map((line) => JSON.parse(line).delivery)).toEqual(['pending', 'delivered']);
  });

  test('fits a narrow window', async () => {
    fixture.transcript({
      content: `A long text ${'of many words '.repeat(10)}`,
      delivery: 'delivered',
    });
    const shown = await whole(fixture.onTerminal(30, 'transcript', ONE));
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(30);
    expect(shown).toContain('delivered ✓✓');
  });

  test('updates a delivery mark in place at a terminal', async () => {
    fixture.transcript({ id: '1', content: 'Hello', delivery: 'pending' });
    const shown = fixture.onTerminal(80, 'transcript', ONE, '-f');
    await expect.poll(shown.out).toContain('Hello  queued');
    fixture.transcript({ id: '1', content: 'Hello', delivery: 'read' });
    await expect.poll(shown.out).toContain('Hello  read ✓✓');
    fixture.instances({ id: ONE, state: 'COMPLETED' });
    const said = await whole(shown);
    expect(said.trimEnd().endsWith(`COMPLETED: ${STATE_SENTENCES.COMPLETED}`)).toBe(true);
  });

  test('-f ends a cancelled conversation as cancelled', async () => {
    const shown = fixture.onTerminal(80, 'transcript', ONE, '-f');
    await expect.poll(shown.out).toContain('● WAITING_FOR_REPLY');
    fixture.instances({ id: ONE, state: 'FAILED', failure_reason: 'cancelled' });
    const said = await whole(shown);
    expect(said.trimEnd().endsWith('CANCELLED: The conversation was cancelled.')).toBe(true);
  });
});
