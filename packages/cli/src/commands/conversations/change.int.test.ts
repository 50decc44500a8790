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

describe('relay pause, resume, cancel and send', () => {
  beforeEach(() => {
    fixture.instances(
      { id: ONE },
      { id: TWO, state: 'NEEDS_HUMAN_INTERVENTION' },
      { id: ENDED, state: 'FAILED' },
    );
  });

  test('report the new state and the next step', async () => {
    expect((await fixture.run('pause', ONE)).out).toBe(
      '1a2b3c4d with +491701234567 is paused. The agent sends nothing until you resume it with `relay resume 1a2b3c4d`.\n',
    );
    expect((await fixture.run('resume', ONE)).out).toBe(
      `1a2b3c4d with +491701234567 continues (WAITING_FOR_REPLY). ${STATE_SENTENCES.WAITING_FOR_REPLY} Follow it with \`relay transcript 1a2b3c4d -f\`.\n`,
    );
    expect((await fixture.run('cancel', ONE)).out).toContain(
      'is cancelled. No goodbye message was sent.',
    );
  });

  test('print the current instance with --json', async () => {
    for (const [verb, state] of [
      ['pause', 'PAUSED'],
      ['resume', 'WAITING_FOR_REPLY'],
      ['cancel', 'FAILED'],
    ] as const) {
      const { out } = await fixture.run(verb, ONE, '--json');
      expect(JSON.parse(out)).toMatchObject({ id: ONE, state });
    }
  });

  test('say what is possible instead when a change is refused', async () => {
    expect(await fixture.run('resume', ONE)).toEqual({
      exit: 5,
      out: '',
      err: `Instance ${ONE} is WAITING_FOR_REPLY: resuming is not possible now. Possible now: \`relay send 1a2b3c4d "…"\`, \`relay pause 1a2b3c4d\`, \`relay cancel 1a2b3c4d\`.\n`,
    });
    expect((await fixture.run('cancel', ENDED)).err).toContain(
      'Start another with `relay create`.',
    );
  });

  test('report each of several conversations, and a refused one does not stop the others', async () => {
    const { exit, out, err } = await fixture.run('cancel', ONE, ENDED, TWO);
    expect(exit).toBe(5);
    expect(lines(out).map((line) => line.slice(0, 8))).toEqual(['1a2b3c4d', '1a2b9999']);
    expect(lines(err)).toEqual([expect.stringContaining(ENDED)]);
  });

  test('send takes the text unchanged and reports the state of the message', async () => {
    const { exit, out } = await fixture.run('send', TWO, 'Tuesday', 'is fine');
    expect(exit).toBe(0);
    expect(out).toContain('Your message to +491701234567 is queued (ACTIVE).');
    expect(fixture.asked().find(({ body }) => body !== null)?.body).toEqual({
      message: 'Tuesday is fine',
    });
    const json = await fixture.run('send', TWO, 'Again', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ role: 'manual', delivery: 'pending' });
  });

  test('send reports a refused message', async () => {
    fixture.put('refused', '');
    expect(await fixture.run('send', TWO, 'Tuesday')).toMatchObject({
      exit: 6,
      out: '',
      err: 'Not allowed: Sending is on hold. End the hold with `relay release`.\n',
    });
  });

  test('remind only a person at a terminal that something needs them', async () => {
    expect(await whole(fixture.onTerminal(120, 'pause', ONE))).toContain(
      '1 conversation is waiting for you. See `relay list --state NEEDS_HUMAN_INTERVENTION`.',
    );
    expect((await fixture.run('resume', ONE)).err).toBe('');
  });
});
