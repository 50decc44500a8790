// An hour offline: messages that people wrote meanwhile are queued at WhatsApp, all arrive in order, and the restart
// report counts them.
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabase, onServer } from '../postgres.ts';
import { type Demo, startDemo } from './demo.ts';
import { eventually } from './gateway.ts';

const ME = '15550000000';
const FRIENDS = ['15550000001', '15550000002', '15550000003', '15550000004'];
const EACH = 100;
const HOUR = 3_600_000;

/** Linked, with friends; on a separate server, so that its clock can be moved by an hour. */
async function linkedDemo(): Promise<{ demo: Demo; url: string }> {
  const { url, drop } = await freshDatabase();
  const demo = await startDemo({ databaseUrl: url, settings: { pacing: { enabled: false } } });
  onTestFinished(async () => {
    await demo.stop();
    await drop();
  });
  for (const phone of [ME, ...FRIENDS]) await demo.phones.add(phone, `Person ${phone.at(-1)}`);
  await demo.link(ME);
  return { demo, url };
}

const jid = (phone: string) => `${phone}@s.whatsapp.net`;

const wholeChat = ({ relay }: Demo, chat: string, count: number) =>
  eventually(
    `all of ${chat}`,
    async () => {
      const messages = await relay.messages({ chat, limit: EACH });
      return messages.length >= count ? messages : undefined;
    },
    120_000,
  );

describe('messages queued while Relay was away', { timeout: 600_000 }, () => {
  it('arrive each once and in order, and are summed up in the restart report', async () => {
    const { demo, url } = await linkedDemo();
    const { phones, relay } = demo;
    const group = await phones.group('Sunday', FRIENDS[0] ?? '', [ME, ...FRIENDS.slice(1)]);
    await demo.kill();
    const left = Date.now() - HOUR;
    await onServer(url, (client) =>
      client.query("UPDATE relay.daemon_runs SET last_seen_at = last_seen_at - interval '1 h'"),
    );
    const chats = new Map<string, { from: string; body: string; timestamp: number }[]>();
    for (let n = 0; n < EACH * 5; n++) {
      const from = FRIENDS[n % FRIENDS.length] ?? '';
      const chat = n < EACH * 4 ? jid(from) : group;
      const body = `while you were away ${n}`;
      const at = new Date(left + n * 7_000);
      await phones.send(from, chat === group ? group : ME, body, { at });
      const timestamp = Math.floor(at.getTime() / 1_000) * 1_000;
      chats.set(chat, [...(chats.get(chat) ?? []), { from: jid(from), body, timestamp }]);
    }

    await demo.restart();
    expect(await relay.connected(120_000)).toBe(ME);
    for (const [chat, expected] of chats) {
      const taken = await wholeChat(demo, chat, expected.length);
      const seen = taken.map(({ from, body, timestamp }) => ({ from, body, timestamp }));
      expect(seen).toEqual(expected);
    }
    const report = await eventually('the restart report', async () => {
      const { report } = await relay.ok<{ report: { messages: number } | null }>(
        'GET',
        '/api/status',
      );
      return report?.messages ? report : undefined;
    });
    expect(report).toMatchObject({
      cause: 'daemon',
      messages: 500,
      chats: 5,
      unknownSends: 0,
      needsYou: 0,
      sentence: expect.stringMatching(
        /^Relay was offline for 1 h( \d+ min)?: 500 messages received from 5 chats\.$/,
      ),
    });
  });

  it('are not overtaken by messages that arrive while they are read', async () => {
    const { demo } = await linkedDemo();
    const [friend = ''] = FRIENDS;
    const texts = Array.from({ length: 40 }, (_, n) => `number ${n}`);
    await demo.rest();
    for (const text of texts.slice(0, 30)) await demo.phones.send(friend, ME, text);
    const online = once(demo.simulator.network.events, 'online');
    const restarted = demo.restart();
    await online;
    for (const text of texts.slice(30)) await demo.phones.send(friend, ME, text);
    await restarted;
    const taken = await wholeChat(demo, jid(friend), texts.length);
    expect(taken.map(({ body }) => body)).toEqual(texts);
  });
});
