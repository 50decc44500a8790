// AC-4 and AC-8: the owner controls a conversation. Each command in the states that allow it and in those that do not,
// and the phone shows nothing unintended.
import type { ConversationInstance } from '@relay/contract/api/instances';
import type { NonTerminalState } from '@relay/contract/conversation/states';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, ME, openAcceptanceHarness } from './harness.ts';
import type { Person } from './person.ts';
import { ANY, ask, end, FIRST, FOLLOW_UP, send } from './script.ts';
import { isLegalMove, type Move } from './table.ts';

let world: AcceptanceHarness;
beforeAll(async () => {
  world = await openAcceptanceHarness();
});
afterAll(() => world.end());

interface Made {
  readonly person: Person;
  readonly id: string;
  readonly read: readonly string[];
}

async function waiting(name: string): Promise<{ person: Person; id: string }> {
  const person = await world.person(name);
  person.meets(FIRST, send('Hello'));
  const id = await world.begin(person);
  await person.reads('Hello');
  await world.waits(id);
  return { person, id };
}

async function asking(name: string): Promise<{ person: Person; id: string }> {
  const person = await world.person(name);
  person.meets(FIRST, ask('How much may it cost?'));
  const id = await world.begin(person);
  await world.reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  person.meets(ANY, send('Thank you for waiting.'));
  return { person, id };
}

const namesOf = async ({ phone }: Person) => {
  const names = await world.relay.query(
    `SELECT kind FROM relay.contact_aliases WHERE contact_id =
       (SELECT contact_id FROM relay.contact_aliases WHERE value = $1) ORDER BY kind`,
    [phone],
  );
  return names.map(({ kind }) => kind);
};

const all = () => world.api.ok<ConversationInstance[]>('GET', '/api/instances?limit=500');
const step = async (id: string) => (await world.moves(id)).at(-1);

/** From now on the model is slow for this person and these turns. */
const thinks = ({ name }: Person, contains: string) =>
  world.model.rules([{ when: { system: name, contains }, reply: { delay_ms: 600_000 } }]);

/** Creates a conversation in each state except the final ones, with what its contact has read by then. */
const MADE: Readonly<Record<NonTerminalState, () => Promise<Made>>> = {
  CREATED: async () => {
    await world.api.ok('POST', '/api/hold', {});
    const person = await world.person('Held-back');
    return { person, id: await world.begin(person), read: [] };
  },
  QUEUED: async () => {
    const { person } = await waiting('Quirinus');
    return { person, id: await world.begin(person), read: ['Hello'] };
  },
  ACTIVE: async () => {
    const person = await world.person('Rosamunde');
    thinks(person, FIRST);
    return { person, id: await world.begin(person), read: [] };
  },
  WAITING_FOR_REPLY: async () => ({ ...(await waiting('Sieglinde')), read: ['Hello'] }),
  WAITING_FOR_AGENT: async () => {
    const made = await waiting('Theodora');
    await world.api.ok('POST', '/api/hold', {});
    await made.person.writes('Hello yourself');
    return { ...made, read: ['Hello'] };
  },
  HEARTBEAT_SCHEDULED: async () => {
    const person = await world.person('Ulrike');
    person.meets(FIRST, send('Hello'));
    thinks(person, FOLLOW_UP);
    return {
      person,
      id: await world.begin(person, { heartbeat_config: { interval_ms: 1_000 } }),
      read: ['Hello'],
    };
  },
  NEEDS_HUMAN_INTERVENTION: async () => ({ ...(await asking('Valeska')), read: [] }),
  PAUSED: async () => {
    const made = await waiting('Wendelin');
    await world.change(made.id, 'pause');
    return { ...made, read: ['Hello'] };
  },
};

describe.each(Object.entries(MADE))('a conversation that is %s', (state, make) => {
  afterEach(() => world.api.ok('POST', '/api/release'));

  it('is paused, resumed in the same state, and cancelled without a farewell', async () => {
    verifies('AC-4.3', 'AC-4.4', 'AC-4.6', '003-CLI-PAUSE', '003-CLI-RESUME', '003-CLI-CANCEL');
    const { person, id, read } = await make();
    await world.reaches(id, state as NonTerminalState);
    if (state !== 'PAUSED') {
      const paused = { state: 'PAUSED', previous_state: state };
      expect(await world.gives('pause', id)).toMatchObject(paused);
      expect(await world.get(id)).toMatchObject(paused);
      expect(await step(id)).toBe(`${state} pause PAUSED`);
      expect(await world.gives('resume', id)).toMatchObject({ state, previous_state: null });
      expect(await step(id)).toBe(`PAUSED resume ${state}`);
    }
    const failed = { state: 'FAILED', failure_reason: 'cancelled', next_follow_up_at: null };
    expect(await world.gives('cancel', id)).toMatchObject(failed);
    expect(await world.get(id)).toMatchObject(failed);
    expect(await step(id)).toBe(`${state} cancel FAILED`);
    const queued = await world.relay.query('SELECT body FROM relay.outbox WHERE instance_id = $1', [
      id,
    ]);
    const said = state === 'QUEUED' ? [] : read;
    expect(queued.map(({ body }) => body)).toEqual(said);
    expect(await person.has()).toEqual(read);
  });
});

describe('relay pause and relay resume', () => {
  it('tell people what happened', async () => {
    verifies('003-CLI-PAUSE', '003-CLI-RESUME');
    const { id } = await waiting('Cyriakus');
    expect(await world.says('pause', id)).toMatch(/paused/i);
    expect(await world.says('resume', id)).toMatch(/WAITING_FOR_REPLY|waits|resumed/i);
  });

  it('delay the answer to what the contact wrote meanwhile', async () => {
    verifies('AC-4.4', '003-OPEN-REPLY-LATER');
    const { person, id } = await waiting('Domenika');
    person.meets('Saturday suits me', send('Saturday is fine.'));
    await world.change(id, 'pause');
    await person.writes('Saturday suits me');
    await world.becomes(id, 'told', (it) => it.state === 'PAUSED');
    await expect.poll(() => world.lines(id)).toContain('contact: Saturday suits me');
    expect(await person.has()).toEqual(['Hello']);
    await world.change(id, 'resume');
    expect(await person.reads('Saturday is fine.')).toEqual(['Hello', 'Saturday is fine.']);
  });
});

describe('a conversation that needs its owner', () => {
  it('continues with relay resume', async () => {
    verifies('AC-4.5', '003-T-NEEDS_HUMAN_INTERVENTION-resume');
    const { person, id } = await asking('Eulalia');
    expect(await world.gives('resume', id)).toMatchObject({ state: 'ACTIVE' });
    await person.reads('Thank you for waiting.');
    expect(await world.moves(id)).toContain('NEEDS_HUMAN_INTERVENTION resume ACTIVE');
  });

  it('continues with relay send, whose text the contact reads', async () => {
    verifies('AC-4.5', 'AC-8.2', '003-CLI-SEND', '003-T-NEEDS_HUMAN_INTERVENTION-manual_send');
    const { person, id } = await asking('Florentin');
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
  it.each(['ACTIVE', 'WAITING_FOR_REPLY', 'HEARTBEAT_SCHEDULED'] as const)(
    'sends and stores a manual message in %s, and the state stays',
    async (state) => {
      verifies('AC-8.1', '003-CLI-SEND');
      const { person, id, read } = await MADE[state]();
      await world.reaches(id, state);
      await world.says('send', id, 'It is me, Olga.');
      expect(await person.reads('It is me, Olga.')).toEqual([...read, 'It is me, Olga.']);
      expect(await world.lines(id)).toEqual([
        ...read.map((text) => `agent: ${text}`),
        'manual: It is me, Olga.',
      ]);
      expect((await world.get(id)).state).toBe(state);
      const line = (await world.says('transcript', id)).split('\n').at(-2);
      expect(line).toMatch(/you +It is me, Olga\./);
      await world.change(id, 'cancel');
    },
  );

  it('restarts the follow-up interval', async () => {
    verifies('AC-8.1');
    const { id } = await waiting('Genoveva');
    const before = await world.get(id);
    await world.api.ok('POST', `/api/instances/${id}/send`, { message: 'It is me, Olga.' });
    const after = await world.waits(id);
    expect(Date.parse(after.next_follow_up_at ?? '')).toBeGreaterThan(
      Date.parse(before.next_follow_up_at ?? ''),
    );
  });
});

describe("a message from the owner's own phone", () => {
  it('takes the conversation over, visibly, until it is resumed', async () => {
    verifies('003-OPEN-TAKEOVER');
    const { person, id } = await waiting('Hortensia');
    person.meets('Which Olga?', send('The owner herself.'));
    // By number and by WhatsApp's own id: their phone may use either.
    await expect.poll(() => namesOf(person)).toEqual(['lid', 'phone']);
    await world.phones.send(ME, person.phone, 'Olga here, by myself.');
    const taken = await world.reaches(id, 'PAUSED');
    expect(taken).toMatchObject({ previous_state: 'WAITING_FOR_REPLY', next_follow_up_at: null });
    expect(await step(id)).toBe('WAITING_FOR_REPLY owner_takeover PAUSED');
    expect(await world.says('get', id)).toContain(taken.reason);
    await person.writes('Which Olga?');
    await expect.poll(() => world.lines(id)).toContain('contact: Which Olga?');
    expect(await person.has()).toEqual(['Hello', 'Olga here, by myself.']);
    await world.change(id, 'resume');
    await person.reads('The owner herself.');
  });
});

describe('relay cancel', () => {
  it('shows the reason, and later messages of the contact are not answered', async () => {
    verifies('AC-4.6', '003-CLI-CANCEL');
    const { person, id } = await waiting('Xaveria');
    expect(await world.says('cancel', id)).toMatch(/cancelled/);
    expect(await world.says('get', id)).toContain('cancelled');
    await person.writes('Are you still there?');
    await expect
      .poll(async () => (await world.api.messages({ contact: person.phone })).length)
      .toBe(2);
    expect(await world.lines(id)).toEqual(['agent: Hello']);
    expect(await person.has()).toEqual(['Hello']);
  });
});

describe('a command that the state does not allow', () => {
  it('is refused with the state and the attempt, logged, and changes nothing', async () => {
    verifies('AC-4.2', '003-ERR-TRANSITION', '003-CLI-STDERR');
    const { id } = await waiting('Apollonia');
    expect(await world.run('resume', id)).toMatchObject({ exit: 5, out: '' });
    await world.change(id, 'cancel');
    const before = await world.get(id);
    const from = world.clock.now().getTime();
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

it('every transition made here is in the table and continues from the one before', async () => {
  verifies('AC-4.1', '003-INV-ONE-STATE', '003-INV-STATE-MACHINE');
  const { person, id } = await waiting('Balthasar');
  person.meets('That is all', end('All is agreed.'));
  await person.writes('That is all');
  await world.reaches(id, 'COMPLETED');
  const made = (await world.relay.query(
    'SELECT instance_id, from_state, trigger, to_state FROM relay.instance_transitions ORDER BY id',
  )) as unknown as (Move & { instance_id: string })[];
  expect(made.length).toBeGreaterThan(50);
  expect(made.filter((move) => !isLegalMove(move))).toEqual([]);
  for (const { id: one, state } of await all()) {
    const own = made.filter(({ instance_id }) => instance_id === one);
    own.reduce((at, { from_state, to_state }) => {
      expect({ one, from_state }).toEqual({ one, from_state: at });
      return to_state;
    }, 'CREATED');
    expect({ one, state }).toEqual({ one, state: own.at(-1)?.to_state ?? 'CREATED' });
  }
});
