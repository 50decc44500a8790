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

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());

interface Made {
  readonly person: Person;
  readonly id: string;
  readonly read: readonly string[];
}

async function waiting(name: string): Promise<{ person: Person; id: string }> {
  const person = await harness.person(name);
  person.meets(FIRST, send('Hello'));
  const id = await harness.begin(person);
  await person.reads('Hello');
  await harness.waits(id);
  return { person, id };
}

async function asking(name: string): Promise<{ person: Person; id: string }> {
  const person = await harness.person(name);
  person.meets(FIRST, ask('How much may it cost?'));
  const id = await harness.begin(person);
  await harness.reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  person.meets(ANY, send('Thank you for waiting.'));
  return { person, id };
}

const namesOf = async ({ phone }: Person) => {
  const names = await harness.relay.query(
    `SELECT kind FROM relay.contact_aliases WHERE contact_id =
       (SELECT contact_id FROM relay.contact_aliases WHERE value = $1) ORDER BY kind`,
    [phone],
  );
  return names.map(({ kind }) => kind);
};

const all = () => harness.api.ok<ConversationInstance[]>('GET', '/api/instances?limit=500');
const step = async (id: string) => (await harness.moves(id)).at(-1);

/** From now on the model is slow for this person and these turns. */
const thinks = ({ name }: Person, contains: string) =>
  harness.model.rules([{ when: { system: name, contains }, reply: { delay_ms: 600_000 } }]);

/** Creates a conversation in each state except the final ones, with what its contact has read by then. */
const MADE: Readonly<Record<NonTerminalState, () => Promise<Made>>> = {
  CREATED: async () => {
    await harness.api.ok('POST', '/api/hold', {});
    const person = await harness.person('Held-back');
    return { person, id: await harness.begin(person), read: [] };
  },
  QUEUED: async () => {
    const { person } = await waiting('Quirinus');
    return { person, id: await harness.begin(person), read: ['Hello'] };
  },
  ACTIVE: async () => {
    const person = await harness.person('Rosamunde');
    thinks(person, FIRST);
    return { person, id: await harness.begin(person), read: [] };
  },
  WAITING_FOR_REPLY: async () => ({ ...(await waiting('Sieglinde')), read: ['Hello'] }),
  WAITING_FOR_AGENT: async () => {
    const made = await waiting('Theodora');
    await harness.api.ok('POST', '/api/hold', {});
    await made.person.writes('Hello yourself');
    return { ...made, read: ['Hello'] };
  },
  HEARTBEAT_SCHEDULED: async () => {
    const person = await harness.person('Ulrike');
    person.meets(FIRST, send('Hello'));
    thinks(person, FOLLOW_UP);
    return {
      person,
      id: await harness.begin(person, { heartbeat_config: { interval_ms: 1_000 } }),
      read: ['Hello'],
    };
  },
  NEEDS_HUMAN_INTERVENTION: async () => ({ ...(await asking('Valeska')), read: [] }),
  PAUSED: async () => {
    const made = await waiting('Wendelin');
    await harness.change(made.id, 'pause');
    return { ...made, read: ['Hello'] };
  },
};

describe.each(Object.entries(MADE))('a conversation that is %s', (state, make) => {
  afterEach(() => harness.api.ok('POST', '/api/release'));

  it('is paused, resumed in the same state, and cancelled without a farewell', async () => {
    verifies('AC-4.3', 'AC-4.4', 'AC-4.6', '003-CLI-PAUSE', '003-CLI-RESUME', '003-CLI-CANCEL');
    const { person, id, read } = await make();
    await harness.reaches(id, state as NonTerminalState);
    if (state !== 'PAUSED') {
      const paused = { state: 'PAUSED', previous_state: state };
      expect(await harness.gives('pause', id)).toMatchObject(paused);
      expect(await harness.get(id)).toMatchObject(paused);
      expect(await step(id)).toBe(`${state} pause PAUSED`);
      expect(await harness.gives('resume', id)).toMatchObject({ state, previous_state: null });
      expect(await step(id)).toBe(`PAUSED resume ${state}`);
    }
    const failed = { state: 'FAILED', failure_reason: 'cancelled', next_follow_up_at: null };
    expect(await harness.gives('cancel', id)).toMatchObject(failed);
    expect(await harness.get(id)).toMatchObject(failed);
    expect(await step(id)).toBe(`${state} cancel FAILED`);
    const queued = await harness.relay.query(
      'SELECT body FROM relay.outbox WHERE instance_id = $1',
      [id],
    );
    const said = state === 'QUEUED' ? [] : read;
    expect(queued.map(({ body }) => body)).toEqual(said);
    expect(await person.has()).toEqual(read);
  });
});

describe('relay pause and relay resume', () => {
  it('tell people what happened', async () => {
    verifies('003-CLI-PAUSE', '003-CLI-RESUME');
    const { id } = await waiting('Cyriakus');
    expect(await harness.says('pause', id)).toMatch(/paused/i);
    expect(await harness.says('resume', id)).toContain('continues (WAITING_FOR_REPLY)');
  });

  it('delay the answer to what the contact wrote meanwhile', async () => {
    verifies('AC-4.4', '003-OPEN-REPLY-LATER');
    const { person, id } = await waiting('Domenika');
    person.meets('Saturday suits me', send('Saturday is fine.'));
    await harness.change(id, 'pause');
    await person.writes('Saturday suits me');
    await harness.becomes(id, 'told', (it) => it.state === 'PAUSED');
    await expect.poll(() => harness.lines(id)).toContain('contact: Saturday suits me');
    expect(await person.has()).toEqual(['Hello']);
    await harness.change(id, 'resume');
    expect(await person.reads('Saturday is fine.')).toEqual(['Hello', 'Saturday is fine.']);
  });
});

describe('a conversation that needs its owner', () => {
  it('continues with relay resume', async () => {
    verifies('AC-4.5', '003-T-NEEDS_HUMAN_INTERVENTION-resume');
    const { person, id } = await asking('Eulalia');
    expect(await harness.gives('resume', id)).toMatchObject({ state: 'ACTIVE' });
    await person.reads('Thank you for waiting.');
    expect(await harness.moves(id)).toContain('NEEDS_HUMAN_INTERVENTION resume ACTIVE');
  });

  it('continues with relay send, whose text the contact reads', async () => {
    verifies('AC-4.5', 'AC-8.2', '003-CLI-SEND', '003-T-NEEDS_HUMAN_INTERVENTION-manual_send');
    const { person, id } = await asking('Florentin');
    expect(await harness.gives('send', id, 'Up to 400, not more.')).toMatchObject({
      instance_id: id,
      role: 'manual',
      content: 'Up to 400, not more.',
    });
    await person.reads('Up to 400, not more.');
    expect(await harness.moves(id)).toContain('NEEDS_HUMAN_INTERVENTION manual_send ACTIVE');
    expect(await harness.lines(id)).toContain('manual: Up to 400, not more.');
  });
});

describe('relay send', () => {
  it.each(['ACTIVE', 'WAITING_FOR_REPLY', 'HEARTBEAT_SCHEDULED'] as const)(
    'sends and stores a manual message in %s, and the state stays',
    async (state) => {
      verifies('AC-8.1', '003-CLI-SEND');
      const { person, id, read } = await MADE[state]();
      await harness.reaches(id, state);
      await harness.says('send', id, 'It is me, Olga.');
      expect(await person.reads('It is me, Olga.')).toEqual([...read, 'It is me, Olga.']);
      expect(await harness.lines(id)).toEqual([
        ...read.map((text) => `agent: ${text}`),
        'manual: It is me, Olga.',
      ]);
      expect((await harness.get(id)).state).toBe(state);
      const line = (await harness.says('transcript', id)).split('\n').at(-2);
      expect(line).toMatch(/you +It is me, Olga\./);
      await harness.change(id, 'cancel');
    },
  );

  it('restarts the follow-up interval', async () => {
    verifies('AC-8.1');
    const { id } = await waiting('Genoveva');
    const before = await harness.get(id);
    await harness.api.ok('POST', `/api/instances/${id}/send`, { message: 'It is me, Olga.' });
    const after = await harness.waits(id);
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
    await harness.phones.send(ME, person.phone, 'Olga here, by myself.');
    const taken = await harness.reaches(id, 'PAUSED');
    expect(taken).toMatchObject({ previous_state: 'WAITING_FOR_REPLY', next_follow_up_at: null });
    expect(await step(id)).toBe('WAITING_FOR_REPLY owner_takeover PAUSED');
    expect(await harness.says('get', id)).toContain(taken.reason);
    await person.writes('Which Olga?');
    await expect.poll(() => harness.lines(id)).toContain('contact: Which Olga?');
    expect(await person.has()).toEqual(['Hello', 'Olga here, by myself.']);
    await harness.change(id, 'resume');
    await person.reads('The owner herself.');
  });
});

describe('relay cancel', () => {
  it('shows the reason, and later messages of the contact are not answered', async () => {
    verifies('AC-4.6', '003-CLI-CANCEL');
    const { person, id } = await waiting('Xaveria');
    expect(await harness.says('cancel', id)).toContain('is cancelled.');
    const shown = await harness.says('get', id);
    expect(shown).toContain('CANCELLED');
    expect(shown).not.toContain('FAILED');
    expect(await harness.gives('get', id)).toMatchObject({ state: 'FAILED' });
    await person.writes('Are you still there?');
    await expect
      .poll(async () => (await harness.api.messages({ contact: person.phone })).length)
      .toBe(2);
    expect(await harness.lines(id)).toEqual(['agent: Hello']);
    expect(await person.has()).toEqual(['Hello']);
  });
});

describe('a command that the state does not allow', () => {
  it('is refused with the state and the attempt, logged, and changes nothing', async () => {
    verifies('AC-4.2', '003-ERR-TRANSITION', '003-CLI-STDERR');
    const { id } = await waiting('Apollonia');
    expect(await harness.run('resume', id)).toMatchObject({ exit: 5, out: '' });
    await harness.change(id, 'cancel');
    const before = await harness.get(id);
    const from = harness.clock.now().getTime();
    for (const [args, event] of [
      [['pause', id], 'pause'],
      [['resume', id], 'resume'],
      [['cancel', id], 'cancel'],
      [['send', id, 'hello'], 'manual_send'],
    ] as const) {
      const { exit, out, err } = await harness.run(...args);
      expect({ args, out }).toEqual({ args, out: '' });
      expect(exit).not.toBe(0);
      expect(err).toContain('FAILED');
      const lines = harness.log().filter(({ time }) => Date.parse(time) >= from);
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 'warn', instance: id, state: 'FAILED', event }),
      );
    }
    expect(await harness.get(id)).toEqual(before);
  });
});

it('every transition made here is in the table and continues from the one before', async () => {
  verifies('AC-4.1', '003-INV-ONE-STATE', '003-INV-STATE-MACHINE');
  const { person, id } = await waiting('Balthasar');
  person.meets('That is all', end('All is agreed.'));
  await person.writes('That is all');
  await harness.reaches(id, 'COMPLETED');
  const made = (await harness.relay.query(
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
