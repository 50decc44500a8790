// AC-4 and AC-8: the owner's hand on a conversation. Each command in the states that allow it and in those
// that do not, with nothing on the phone that was not meant to be there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import type { Person } from './person.ts';
import { ANY, ask, end, FIRST, send } from './script.ts';
import { isLegalMove } from './table.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.end());

async function waiting(name: string): Promise<{ person: Person; id: string }> {
  const person = await world.person(name);
  person.meets(FIRST, send('Hello'));
  const id = await world.create(person);
  await person.reads('Hello');
  await world.reaches(id, 'WAITING_FOR_REPLY');
  return { person, id };
}

async function asking(name: string): Promise<{ person: Person; id: string }> {
  const person = await world.person(name);
  person.meets(FIRST, ask('How much may it cost?'));
  const id = await world.create(person);
  await world.reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  person.meets(ANY, send('Thank you for waiting.'));
  return { person, id };
}

const step = async (id: string) => (await world.moves(id)).at(-1);

describe('relay pause and relay resume', () => {
  it('keep the state it was in, and bring it back there', async () => {
    verifies('AC-4.3', 'AC-4.4', '003-CLI-PAUSE', '003-CLI-RESUME', '003-INV-PAUSED');
    const { id } = await waiting('Quirinus');
    const { id: next } = await world.gives<{ id: string }>(
      ...[
        'create',
        '--objective',
        'Something else',
        '--contact',
        (await world.get(id)).target_contact,
      ],
    );
    const { id: human } = await asking('Rosamunde');
    for (const [one, state] of [
      [id, 'WAITING_FOR_REPLY'],
      [next, 'QUEUED'],
      [human, 'NEEDS_HUMAN_INTERVENTION'],
    ] as const) {
      expect(await world.gives('pause', one)).toMatchObject({
        state: 'PAUSED',
        previous_state: state,
      });
      expect(await step(one)).toBe(`${state} pause PAUSED`);
      expect(await world.gives('resume', one)).toMatchObject({ state, previous_state: null });
      expect(await step(one)).toBe(`PAUSED resume ${state}`);
    }
  });

  it('say to people what happened', async () => {
    verifies('003-CLI-PAUSE', '003-CLI-RESUME');
    const { id } = await waiting('Sieglinde');
    expect(await world.says('pause', id)).toMatch(/paused/i);
    expect(await world.says('resume', id)).toMatch(/WAITING_FOR_REPLY|waits|resumed/i);
  });

  it('hold back what the contact wrote meanwhile, and answer it then', async () => {
    verifies('AC-4.4', '003-OPEN-REPLY-LATER');
    const { person, id } = await waiting('Theodora');
    person.meets('Saturday suits me', send('Saturday is fine.'));
    await world.says('pause', id);
    await person.writes('Saturday suits me');
    await world.becomes(id, 'told', (it) => it.state === 'PAUSED');
    await expect.poll(() => world.lines(id)).toContain('contact: Saturday suits me');
    expect(await person.has()).toEqual(['Hello']);
    await world.says('resume', id);
    expect(await person.reads('Saturday is fine.')).toEqual(['Hello', 'Saturday is fine.']);
  });
});

describe('one that needs its owner', () => {
  it('goes on with relay resume', async () => {
    verifies('AC-4.5', '003-T-NEEDS_HUMAN_INTERVENTION-resume');
    const { person, id } = await asking('Ulrike');
    expect(await world.gives('resume', id)).toMatchObject({ state: 'ACTIVE' });
    await person.reads('Thank you for waiting.');
    expect(await world.moves(id)).toContain('NEEDS_HUMAN_INTERVENTION resume ACTIVE');
  });

  it('goes on with relay send, whose words the contact reads', async () => {
    verifies('AC-4.5', 'AC-8.2', '003-CLI-SEND', '003-T-NEEDS_HUMAN_INTERVENTION-manual_send');
    const { person, id } = await asking('Valeska');
    expect(await world.gives('send', id, 'Up to 400, not more.')).toMatchObject({
      instance_id: id,
      role: 'manual',
      content: 'Up to 400, not more.',
    });
    await person.reads('Up to 400, not more.');
    expect(await world.moves(id)).toContain('NEEDS_HUMAN_INTERVENTION manual_send ACTIVE');
    expect(await world.lines(id)).toContain('manual: Up to 400, not more.');
  });
});

describe('relay send', () => {
  it('on one that runs is sent and kept as a manual message, and nothing else changes', async () => {
    verifies('AC-8.1', '003-CLI-SEND');
    const { person, id } = await waiting('Wendelin');
    const before = await world.get(id);
    await world.says('send', id, 'It is me, Olga.');
    expect(await person.reads('It is me, Olga.')).toEqual(['Hello', 'It is me, Olga.']);
    expect(await world.lines(id)).toEqual(['agent: Hello', 'manual: It is me, Olga.']);
    const after = await world.get(id);
    expect(after.state).toBe(before.state);
    // The contact has the whole interval again.
    expect(Date.parse(after.next_follow_up_at ?? '')).toBeGreaterThan(
      Date.parse(before.next_follow_up_at ?? ''),
    );
    expect(await world.says('transcript', id)).toContain('It is me, Olga.');
  });
});

describe('relay cancel', () => {
  it('ends it in every state without a farewell', async () => {
    verifies('AC-4.6', '003-CLI-CANCEL');
    const { person, id } = await waiting('Xaveria');
    const { id: next } = await world.gives<{ id: string }>(
      ...['create', '--objective', 'Something else', '--contact', person.number],
    );
    const { person: asked, id: human } = await asking('Yolanda');
    const { person: still, id: paused } = await waiting('Zacharias');
    await world.says('pause', paused);
    for (const one of [next, id, human, paused]) {
      expect(await world.gives('cancel', one)).toMatchObject({
        state: 'FAILED',
        failure_reason: 'cancelled',
        next_follow_up_at: null,
      });
      expect(await step(one)).toMatch(/ cancel FAILED$/);
    }
    expect(await world.says('get', id)).toContain('cancelled');
    // What they write afterwards is no longer the conversation's, and nobody answers.
    await person.writes('Are you still there?');
    await expect
      .poll(async () => (await world.api.messages({ contact: person.phone })).length)
      .toBe(2);
    expect([await person.has(), await asked.has(), await still.has()]).toEqual([
      ['Hello'],
      [],
      ['Hello'],
    ]);
    expect(await world.lines(id)).toEqual(['agent: Hello']);
  });
});

describe('what the state does not allow', () => {
  it('is refused with the state and what was tried, logged, and changes nothing', async () => {
    verifies('AC-4.2', '003-ERR-TRANSITION', '003-CLI-STDERR');
    const { id } = await waiting('Apollonia');
    expect(await world.run('resume', id)).toMatchObject({ exit: 5, out: '' });
    await world.says('cancel', id);
    const before = await world.get(id);
    const from = Date.now();
    for (const [args, event] of [
      [['pause', id], 'pause'],
      [['resume', id], 'resume'],
      [['cancel', id], 'cancel'],
      [['send', id, 'hello'], 'manual_send'],
    ] as const) {
      const { exit, out, err } = await world.run(...args);
      expect({ args, out }).toEqual({ args, out: '' });
      expect(exit).not.toBe(0);
      expect(err).toContain('FAILED');
      const lines = world.log().filter(({ time }) => Date.parse(time) >= from);
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 'warn', instance: id, state: 'FAILED', event }),
      );
    }
    expect(await world.get(id)).toEqual(before);
  });
});

it('every move that was made here is one that the table allows', async () => {
  verifies('AC-4.1');
  const { person, id } = await waiting('Balthasar');
  person.meets('done', end('All is agreed.'));
  await person.writes('done');
  await world.reaches(id, 'COMPLETED');
  const made = await world.relay.query(
    'SELECT DISTINCT from_state, trigger, to_state FROM relay.instance_transitions',
  );
  expect(made.length).toBeGreaterThan(12);
  expect(made.filter((move) => !isLegalMove(move as never))).toEqual([]);
});
