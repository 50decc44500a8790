// A linked Relay with people who write to it and get answers, for metrics and traces. Runs without vitest, so that a
// bench can use it too.
import type { Demo } from './demo.ts';

const OWNER = '15550000000';
const ANSWER = 'Thank you, I have it.';

export interface Load {
  readonly people: readonly string[];
  /** The model's answer to every message. */
  readonly answer: string;
  /** One of them writes; returns the message's id. */
  write(text?: string): Promise<string>;
  /** How many answers have arrived on phones so far. */
  answered(): Promise<number>;
}

export async function openLoad(demo: Demo, contacts: number): Promise<Load> {
  const { phones, relay, model } = demo;
  await phones.add(OWNER, 'Olga Owner');
  await demo.link(OWNER);
  model.rules([{ when: {}, reply: { text: ANSWER } }]);
  const people = Array.from(
    { length: contacts },
    (_, n) => `1555${String(n + 1).padStart(7, '0')}`,
  );
  for (const [n, phone] of people.entries()) {
    await phones.add(phone, `Person ${n + 1}`);
    await relay.ok('POST', '/api/whatsapp/permissions', {
      phoneNumber: phone,
      displayName: `Person ${n + 1}`,
      canRead: true,
      canReply: true,
    });
  }
  let next = 0;
  return {
    people,
    answer: ANSWER,
    write(text = `Message ${next}`) {
      const from = people[next++ % people.length] ?? OWNER;
      return phones.send(from, OWNER, text);
    },
    async answered() {
      const got = await Promise.all(people.map((phone) => phones.received(phone, OWNER)));
      return got.reduce((sum, messages) => sum + messages.length, 0);
    },
  };
}
