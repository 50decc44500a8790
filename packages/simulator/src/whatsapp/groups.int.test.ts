import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from './testing/client.ts';
import {
  createPairedFixture,
  expectNoFailures,
  type NetworkFixture,
  waitForText,
} from './testing/fixture.ts';
import { children } from './wire/nodes.ts';

let cast: NetworkFixture;

beforeAll(async () => {
  cast = await createPairedFixture();
});

afterEach(() => expectNoFailures(cast));

afterAll(() => cast.end());

describe.each(['lid', 'pn'] as const)('group (%s addressing)', (addressing) => {
  test(`group in/out, ${addressing} addressed`, async () => {
    const { bob, carol, client, me, network } = cast;
    const subject = `G-${addressing}`;
    const members = [me, bob, carol];
    const group = network.createGroup({ subject, owner: bob, members, addressing });
    for (const [index, author] of [bob, carol, bob].entries()) {
      const text = `g-in-${index}-${addressing}`;
      const id = await author.send(group, text);
      const other = addressing === 'lid' ? 'pn' : 'lid';
      expect((await client.received(text)).key).toMatchObject({
        id,
        remoteJid: group.jid,
        participant: author.jid(addressing),
        participantAlt: author.jid(other),
      });
    }
    const sent = await client.socket.sendMessage(group.jid, { text: `g-out-1-${addressing}` });
    await client.socket.sendMessage(group.jid, { text: `g-out-2-${addressing}` });
    for (const person of [bob, carol]) {
      for (const index of [1, 2]) {
        const seen = await waitForText(person, `g-out-${index}-${addressing}`);
        expect(seen).toMatchObject({ chat: group.jid, from: me.phone });
      }
    }
    const receivers = () => client.receiversOf(sent?.key.id);
    await until(() => receivers().size === 2, 'a receipt of each member');
    expect(receivers()).toEqual(new Set([bob.jid(addressing), carol.jid(addressing)]));

    const { participants } = await client.socket.groupMetadata(group.jid);
    expect(participants).toHaveLength(3);
    expect(bob.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
  });
});

describe('groups of the companion', () => {
  test('groupFetchAllParticipating / groupCreate', async () => {
    const { bob, client } = cast;
    const made = await client.socket.groupCreate('made', [bob.jid('pn')]);
    const all = await client.socket.groupFetchAllParticipating();
    expect(all[made.id]).toMatchObject({ subject: 'made', size: 2 });
    await client.socket.sendMessage(made.id, { text: 'welcome' });
    expect((await waitForText(bob, 'welcome')).chat).toBe(made.id);
  });

  test('notifies the companion of changes made by a member', async () => {
    const { bob, carol, client, me, network } = cast;
    const changes: unknown[] = [];
    const { ev } = client.socket;
    ev.on('group-participants.update', ({ action, participants }) =>
      changes.push([action, participants.map(({ id }) => id)]),
    );
    const subjects: unknown[] = [];
    ev.on('groups.update', (updates) => subjects.push(...updates.map(({ subject }) => subject)));
    const created: unknown[] = [];
    ev.on('groups.upsert', (groups) => created.push(...groups.map(({ subject }) => subject)));

    const group = network.createGroup({ subject: 'before', owner: bob, members: [me] });
    await until(() => created.length > 0, 'the group');
    expect(created).toEqual(['before']);
    group.rename(bob, 'after');
    group.add(bob, [carol]);
    group.setRole(bob, [carol], 'admin');
    group.setRole(bob, [carol], 'member');
    group.remove(bob, [carol]);
    await until(() => changes.length === 4 && subjects.length === 1, 'five changes');
    expect(subjects).toEqual(['after']);
    expect(changes).toEqual([
      ['add', [carol.jid()]],
      ['promote', [carol.jid()]],
      ['demote', [carol.jid()]],
      ['remove', [carol.jid()]],
    ]);
  });

  test('applies changes made by the companion', async () => {
    const { bob, carol, client, me, network } = cast;
    const group = network.createGroup({ subject: 'ours', owner: me, members: [bob] });
    await client.socket.groupUpdateSubject(group.jid, 'ours, renamed');
    await client.socket.groupParticipantsUpdate(group.jid, [carol.jid()], 'add');
    await client.socket.groupParticipantsUpdate(group.jid, [carol.jid()], 'promote');
    await until(() => group.members.get(carol) === 'admin', 'carol to be an admin');
    expect(group.subject).toBe('ours, renamed');
    await client.socket.groupParticipantsUpdate(group.jid, [bob.jid()], 'remove');
    await until(() => !group.members.has(bob), 'bob to be gone');
    await client.socket.groupLeave(group.jid);
    await until(() => !group.members.has(me), 'the companion to have left');
  });

  test('sends nothing to a removed member until they are added again, with a new sender key', async () => {
    const { bob, carol, client, me, network } = cast;
    const group = network.createGroup({ subject: 'moving', owner: bob, members: [me, carol] });
    await bob.send(group, 'three of us');
    await waitForText(carol, 'three of us');
    const same = await bob.send(group, 'still three');
    await client.received('still three');
    expect(encsOf(same)).toEqual(['skmsg']);
    group.remove(bob, [carol]);
    await bob.send(group, 'two of us');
    const { key } = await client.received('two of us');
    expect(encsOf(key.id)).toEqual(['msg', 'skmsg']);
    group.add(bob, [carol]);
    await bob.send(group, 'three again');
    await waitForText(carol, 'three again');
    await client.received('three again');
    expect(carol.messages({ with: group }).map(({ text }) => text)).toEqual([
      'three of us',
      'still three',
      'three again',
    ]);
    expect(carol.counts().undecryptable).toBe(0);
  });
});

/** How a message that the client received was encrypted. */
function encsOf(id: string | null | undefined): (string | undefined)[] {
  const sent = cast.network.stanzas.find(
    ({ direction, stanza }) =>
      direction === 'out' && stanza.tag === 'message' && stanza.attrs.id === id,
  );
  return children(sent?.stanza, 'enc').map(({ attrs }) => attrs.type);
}
