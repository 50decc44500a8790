// An hour away: what people wrote in the meantime waits at WhatsApp, and all of it arrives.
import { expect, it, onTestFinished } from 'vitest';
import { startDemo } from './demo.ts';
import { eventually } from './gateway.ts';

const ME = '15550000000';
const FRIENDS = ['15550000001', '15550000002', '15550000003', '15550000004'];
const EACH = 100;
const HOUR = 3_600_000;

interface Waiting {
  readonly from: string;
  readonly text: string;
  readonly at: Date;
}

it('takes in 500 messages that waited while Relay was away, each once and in order', {
  timeout: 180_000,
}, async () => {
  const demo = await startDemo({ settings: { pacing: { enabled: false } } });
  onTestFinished(() => demo.stop());
  const { phones, relay } = demo;
  for (const phone of [ME, ...FRIENDS]) await phones.add(phone, `Person ${phone.at(-1)}`);
  const group = await phones.group('Sunday', FRIENDS[0] ?? '', [ME, ...FRIENDS.slice(1)]);
  await demo.link(ME);
  await demo.rest();

  const chats = new Map<string, Waiting[]>();
  const left = Date.now() - HOUR;
  for (let n = 0; n < EACH * 5; n++) {
    const from = FRIENDS[n % FRIENDS.length] ?? '';
    const chat = n < EACH * 4 ? `${from}@s.whatsapp.net` : group;
    const waiting = { from, text: `while you were away ${n}`, at: new Date(left + n * 7_000) };
    await phones.send(from, chat === group ? group : ME, waiting.text, { at: waiting.at });
    chats.set(chat, [...(chats.get(chat) ?? []), waiting]);
  }

  await demo.restart();
  expect(await relay.connected()).toBe(ME);
  for (const [chat, expected] of chats) {
    const taken = await eventually(
      `all of ${chat}`,
      async () => {
        const messages = await relay.messages({ chat, limit: EACH });
        return messages.length >= expected.length ? messages : undefined;
      },
      60_000,
    );
    expect(taken.map(({ from, body, timestamp }) => ({ from, body, timestamp }))).toEqual(
      expected.map(({ from, text, at }) => ({
        from: `${from}@s.whatsapp.net`,
        body: text,
        timestamp: Math.floor(at.getTime() / 1_000) * 1_000,
      })),
    );
  }
  expect(await phones.counts(ME)).toMatchObject({ undecryptable: 0 });
});
