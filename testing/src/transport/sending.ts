// Transport contract for sending: a send resolves when the server accepted it, and otherwise states exactly how certain
// the outcome is. Invariant: `not_sent` is never reported for a message that somebody could have received.
import type { MessageId } from '@relay/contract/ids';
import { SendFault } from '@relay/core/ports/transport';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, type MakeHarness, pause, TransportFixture } from './harness.ts';

export function sending(make: MakeHarness): void {
  describe('sending', () => {
    let stage: TransportFixture;
    beforeEach(async () => {
      stage = await new TransportFixture(await make()).pair();
    });
    afterEach(() => stage.end());

    const seen = (text: string) =>
      eventually(() => stage.bob.messages().find((message) => message.text === text), text);
    const ticks = (id: MessageId) =>
      stage
        .of('receipt')
        .filter((event) => event.id === id)
        .map(({ status }) => status);

    test.each(['lid', 'pn'] as const)('sends to a person, named by %s', async (addressing) => {
      const { bob, me } = stage;
      const id = await stage.send(bob.jid(addressing), 'hello');
      expect((await seen('hello')).id).toBe(id);
      await eventually(() => ticks(id).includes('delivered'), 'delivered');
      bob.read(me);
      await eventually(() => ticks(id).includes('read'), 'read');
      expect(bob.counts()).toEqual({ distinct: 1, duplicates: 0, undecryptable: 0 });
    });

    test('knows a person by both names after writing to their number', async () => {
      const { bob } = stage;
      const both = [bob.jid('pn'), bob.jid('lid')].sort();
      const told = () =>
        stage.of('aliases').filter(({ addresses }) => addresses.includes(bob.jid('pn')));
      stage.events = [];
      await stage.send(bob.jid('pn'), 'hello');
      await eventually(() => told().length > 0, 'both names');
      for (const { addresses } of told()) expect([...addresses].sort()).toEqual(both);
    });

    test('sends a link as written, without a preview', async () => {
      const text = 'see https://example.com/page';
      await stage.send(stage.bob.jid(), text);
      const { content } = await seen(text);
      expect(content?.extendedTextMessage?.title ?? null).toBeNull();
      expect(content?.extendedTextMessage?.jpegThumbnail?.length ?? 0).toBe(0);
    });

    test('sends to a group and reports the receipts of its members', async () => {
      const { bob, carol, harness, me } = stage;
      const group = harness.network.createGroup({ subject: 'G', owner: bob, members: [me, carol] });
      const id = await stage.send(group.jid, 'to all');
      expect(await seen('to all')).toMatchObject({ id, chat: group.jid });
      await eventually(
        () => ticks(id).filter((status) => status === 'delivered').length > 1,
        'both',
      );
      expect(carol.counts()).toMatchObject({ distinct: 1, undecryptable: 0 });
    });

    test('sends to the current members after a group changed', async () => {
      const { bob, carol, harness, me } = stage;
      const group = harness.network.createGroup({ subject: 'G', owner: bob, members: [me] });
      await stage.send(group.jid, 'first');
      group.add(bob, [carol]);
      await eventually(
        () => stage.of('group').some(({ group: { members } }) => members.length === 3),
        'the news',
      );
      await stage.send(group.jid, 'second');
      await eventually(() => carol.messages().some(({ text }) => text === 'second'), 'carol');
    });

    test.each([429, 463, 479])('reports a refusal with its code %i', async (code) => {
      const { bob, harness } = stage;
      harness.network.faults.set({ ackError: code });
      expect(await stage.fault(bob.jid(), 'no')).toMatchObject({ kind: 'refused', code });
      harness.network.faults.clear();
      expect(stage.link.state).toBe('connected');
      expect(bob.messages()).toEqual([]);
      await stage.send(bob.jid(), 'yes');
      await seen('yes');
    });

    test('asks whether the account is locked after a 463', async () => {
      const { bob, harness, me } = stage;
      const until = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000);
      me.timeLockedUntil = until;
      harness.network.faults.set({ ackError: 463 });
      expect((await stage.fault(bob.jid(), 'stranger')).code).toBe(463);
      await stage.reaches('time_locked');
      expect(stage.link.timeLockedUntil).toEqual(until);
    });

    test('reports the beginning and the end of a time lock', async () => {
      const { me } = stage;
      const until = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000);
      me.timeLock(until);
      await stage.reaches('time_locked');
      expect(stage.link.timeLockedUntil).toEqual(until);
      me.timeLock(undefined);
      await stage.reaches('connected');
      expect(stage.link.timeLockedUntil).toBeNull();
    });

    test('ends a time lock by itself when its time has passed', async () => {
      stage.me.timeLock(new Date(Date.now() + 1_500));
      await stage.reaches('time_locked');
      await stage.reaches('connected');
    });

    test('reports a certain not_sent without a connection', async () => {
      const { bob, transport } = stage;
      await transport.disconnect({ forget: false });
      expect((await stage.fault(bob.jid(), 'offline')).kind).toBe('not_sent');
    });

    test('reports not_sent when the connection breaks before encryption', async () => {
      const { carol, harness, me } = stage;
      harness.network.faults.set({ iqIgnore: ['usync/get/usync'] });
      const outcome = stage.fault(carol.jid(), 'too early');
      await pause(100);
      me.disconnect();
      expect((await outcome).kind).toBe('not_sent');
      harness.network.faults.clear();
      await stage.reaches('connected');
      expect(carol.messages()).toEqual([]);
    });

    test('is uncertain without an ack in time, until the receipt arrives', async () => {
      const { bob, harness } = stage;
      harness.network.faults.set({ withholdAcks: true });
      const id = stage.newId();
      expect((await stage.fault(bob.jid(), 'unconfirmed', id)).kind).toBe('uncertain');
      await eventually(() => ticks(id).includes('delivered'), 'the receipt');
    });

    test('reports a late ack as a receipt', async () => {
      const { bob, harness } = stage;
      await stage.send(bob.jid(), 'first');
      bob.habits.receipts = false;
      harness.network.faults.set({ latencyMs: 900 });
      const id = stage.newId();
      expect((await stage.fault(bob.jid(), 'late', id)).kind).toBe('uncertain');
      await eventually(() => ticks(id).includes('sent'), 'the ack');
    });

    test('is uncertain about a message that the server lost', async () => {
      const { bob, harness } = stage;
      harness.network.faults.set({ swallowMessages: true });
      expect((await stage.fault(bob.jid(), 'swallowed')).kind).toBe('uncertain');
    });

    test('is uncertain when the connection breaks after sending, and a resend is shown once', async () => {
      const { bob, harness, me } = stage;
      await stage.send(bob.jid(), 'first');
      harness.network.faults.set({ withholdAcks: true });
      const id = stage.newId();
      const outcome = stage.fault(bob.jid(), 'cut off', id);
      await seen('cut off');
      me.disconnect();
      expect((await outcome).kind).toBe('uncertain');
      harness.network.faults.clear();
      await eventually(() => stage.states.includes('reconnecting'), 'the close');
      await stage.reaches('connected');
      await stage.send(bob.jid(), 'cut off', id);
      await eventually(() => bob.counts().duplicates === 1, 'the second copy');
      expect(bob.messages().filter((message) => message.id === id)).toHaveLength(1);
    });

    test('resends a stored message to a recipient that lost its keys', async () => {
      const { bob } = stage;
      await stage.send(bob.jid(), 'before');
      await seen('before');
      await bob.loseSessions();
      bob.switchOff();
      const id = await stage.send(bob.jid(), 'needs asking');
      // Requested only now, from a process that never sent it.
      await stage.restart();
      bob.switchOn();
      stage.transport.connect();
      await stage.reaches('connected');
      await seen('needs asking');
      expect(bob.messages().filter((message) => message.id === id)).toHaveLength(1);
    });

    test('shows typing, if it can', async (context) => {
      const { bob, harness, transport } = stage;
      const { typing } = transport.capabilities;
      if (!typing) return context.skip('this transport shows nothing');
      const told: string[] = [];
      harness.network.events.on('presence', ({ stanza }) => {
        if (stanza.tag !== 'chatstate' || !Array.isArray(stanza.content)) return;
        told.push(stanza.content[0]?.tag ?? '');
      });
      await typing(bob.jid(), true);
      await typing(bob.jid(), false);
      await eventually(() => told.length === 2, 'both');
      expect(told).toEqual(['composing', 'paused']);
    });

    test('looks up a number, if it can', async (context) => {
      const { bob, harness, transport } = stage;
      const { findRegistered } = transport.capabilities;
      if (!findRegistered) return context.skip('this transport cannot ask');
      const ana = harness.network.addAccount({
        phone: '553196348800',
        name: 'Ana',
        dialled: '5531996348800',
      });
      expect(await findRegistered(bob.jid('pn'))).toBe(bob.jid('pn'));
      expect(await findRegistered('5531996348800@s.whatsapp.net')).toBe(ana.jid('pn'));
      expect(await findRegistered('15559999999@s.whatsapp.net')).toBeNull();
      expect(await findRegistered(bob.jid('lid'))).toBe(bob.jid('lid'));
      await transport.disconnect({ forget: false });
      await expect(findRegistered(bob.jid('pn'))).rejects.toBeInstanceOf(SendFault);
    });

    test('looks up a group, if it can', async (context) => {
      const { bob, harness, me, transport } = stage;
      const { groups } = transport.capabilities;
      if (!groups) return context.skip('this transport knows no groups');
      const group = harness.network.createGroup({
        subject: 'Book club',
        owner: bob,
        members: [me],
      });
      expect(await groups(group.jid)).toMatchObject({ address: group.jid, subject: 'Book club' });
      const roles = (await groups(group.jid))?.members.map(({ addresses, role }) => [
        addresses.includes(bob.jid('pn')) || addresses.includes(bob.jid('lid')),
        role,
      ]);
      expect(roles).toContainEqual([true, 'admin']);
      expect(await groups('120363999999999999@g.us')).toBeNull();
    });
  });
}
