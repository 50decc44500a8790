import type { ConversationInstance } from '@relay/contract/api/instances';
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

describe('relay list', () => {
  beforeEach(() => {
    fixture.instances(
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

  test('shows every conversation, those that need the owner first', async () => {
    const { exit, out, err } = await fixture.run('list');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(lines(out).map((line) => line.trim().replace(/ {2,}/g, ' | '))).toEqual([
      'ID | CONTACT | STATE | TODOS | FOLLOW-UP | REASON',
      '! 1a2b9999 | +491701234567 | NEEDS_HUMAN_INTERVENTION | Asks for ⟨U+001B⟩[2J a day.',
      `1a2b3c4d | +491701234567 | WAITING_FOR_REPLY | 1/2 | in 12 min, 2 of 3 | ${STATE_SENTENCES.WAITING_FOR_REPLY}`,
      `77777777 | +491701234567 | COMPLETED | ${STATE_SENTENCES.COMPLETED}`,
    ]);
  });

  test('filters by --state in any case, and an empty result is not a failure', async () => {
    const { out } = await fixture.run('list', '--state', 'completed', '--json');
    expect(JSON.parse(out).map(({ id }: ConversationInstance) => id)).toEqual([ENDED]);
    expect(await fixture.run('list', '--state', 'PAUSED')).toEqual({
      exit: 0,
      out: '',
      err: 'No conversations in state PAUSED.\n',
    });
  });

  test('shows a cancelled conversation as cancelled, and keeps the state of the API with --json', async () => {
    fixture.instances({ id: ENDED, state: 'FAILED', failure_reason: 'cancelled' });
    const { out } = await fixture.run('list');
    expect(lines(out)[1]).toContain('CANCELLED');
    expect(out).not.toContain('FAILED');
    const [listed] = JSON.parse((await fixture.run('list', '--json')).out);
    expect(listed).toMatchObject({ state: 'FAILED', failure_reason: 'cancelled' });
  });

  test('fits a narrow window', async () => {
    const shown = await whole(fixture.onTerminal(40, 'list'));
    const table = shown.slice(0, shown.indexOf('1 conversation is waiting'));
    for (const line of table.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    expect(table).toContain('! 1a2b9999');
    expect(table).toContain('    1/2 done, in 12 min, 2 of 3\n');
    expect(shown).toContain('1 conversation is waiting for you.');
  });

  test('requests all pages, but shows a limited number at a terminal', async () => {
    const many = Array.from({ length: 1_203 }, (_none, index) => ({
      id: `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`,
      state: 'COMPLETED' as const,
    }));
    fixture.instances(...many);
    const { out } = await fixture.run('list', '--json');
    expect(JSON.parse(out)).toHaveLength(1_203);
    expect(fixture.asked()).toHaveLength(3);
    expect(lines((await fixture.run('list')).out)).toHaveLength(1_204);
    const shown = await whole(fixture.onTerminal(140, 'list'));
    expect(shown).toContain('1183 more ended. Show all with `relay list --all`.');
    expect(lines(await whole(fixture.onTerminal(140, 'list', '--all')))).toHaveLength(1_204);
  });

  test('--watch prints changes as lines for programs', async () => {
    const { interrupt, ended, out } = fixture.following('list', '--watch', '--json');
    await expect.poll(() => lines(out()).length).toBe(2);
    fixture.instances(
      { id: ONE, state: 'COMPLETED' },
      { id: TWO, state: 'NEEDS_HUMAN_INTERVENTION' },
    );
    await expect.poll(() => lines(out()).length).toBe(4);
    const told = lines(out()).map((line) => JSON.parse(line) as ConversationInstance);
    expect(told.map(({ id, state }) => [id, state]).slice(2)).toEqual([
      [ONE, 'COMPLETED'],
      [TWO, 'NEEDS_HUMAN_INTERVENTION'],
    ]);
    interrupt();
    await ended;
  });

  test('--watch ends with the daemon, and says so', async () => {
    const { ended, out, err } = fixture.following('list', '--watch');
    await expect.poll(out).toContain('1a2b3c4d');
    await fixture.stopServing();
    expect(await ended).toBe(3);
    expect(err()).toContain('Run `relay start` first.');
    await fixture.serve();
  });
});
