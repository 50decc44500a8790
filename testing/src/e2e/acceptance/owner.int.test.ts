// The owner's control over sending: text that quotes confidential instructions needs approval, a hold stops everything
// until it is released, and notices go to the owner's own phone only.
import type { Approval } from '@relay/contract/api/approvals';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcceptanceHarness, ME, openAcceptanceHarness } from './harness.ts';
import { FIRST, send } from './script.ts';

const SIGNATURE = 'SIGN-4f3a-99bc-1d2e';

let world: AcceptanceHarness;
beforeAll(async () => {
  world = await openAcceptanceHarness({
    settings: {
      tell_owner_on_whatsapp: true,
      agent: { instructions: `Never say how you sign: ${SIGNATURE}.` },
    },
  });
});
afterAll(() => world.end());

const ownChat = async () => (await world.phones.messages(ME, ME)).map(({ text }) => text);
const waiting = (id: string) =>
  world.api
    .ok<Approval[]>('GET', '/api/approvals')
    .then((all) => all.filter(({ instance_id }) => instance_id === id));

it("a message that quotes the owner's instructions is sent only after approval, and exactly once", async () => {
  const walburga = await world.person('Walburga');
  const text = `Hello,  signed ${SIGNATURE} 🙂`;
  walburga.meets(FIRST, send(text));
  const id = await world.begin(walburga);
  await world.reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  const [asked, ...others] = await waiting(id);
  expect(asked).toMatchObject({ text, recipient: walburga.number, reason_code: 'quotes_private' });
  expect(others).toEqual([]);
  expect(await world.says('approvals', 'list')).toContain(SIGNATURE);
  expect(await walburga.has()).toEqual([]);

  const notice = `Relay: a message to ${walburga.number} waits for your yes.`;
  await expect.poll(ownChat).toEqual([expect.stringContaining(notice)]);
  expect(await world.run('approvals', 'approve', asked?.id ?? '')).toMatchObject({ exit: 0 });
  expect(await walburga.reads(text)).toEqual([text]);
  await world.reaches(id, 'WAITING_FOR_REPLY');
  const again = await world.run('approvals', 'approve', asked?.id ?? '');
  expect(again).toMatchObject({ out: '' });
  expect(again.exit).not.toBe(0);
  expect(await waiting(id)).toEqual([]);
  expect(await walburga.has()).toEqual([text]);
});

it('a declined message is not sent, and the conversation continues when it is resumed', async () => {
  const winfried = await world.person('Winfried');
  winfried.meets(FIRST, send(`Signed ${SIGNATURE}`));
  const id = await world.begin(winfried);
  await world.reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  const [asked] = await waiting(id);
  await world.says('approvals', 'reject', asked?.id ?? '', '--reason', 'not that');
  expect(await waiting(id)).toEqual([]);
  expect(await world.lines(id)).toContain('system: The message that waited was rejected: not that');
  winfried.meets(FIRST, send('Hello'));
  await world.change(id, 'resume');
  expect(await winfried.reads('Hello')).toEqual(['Hello']);
});

it('nothing is sent and no agent runs on hold; after the release deferred work happens once', async () => {
  const wulfhild = await world.person('Wulfhild');
  wulfhild.meets(FIRST, send('Which day?'));
  wulfhild.meets('Tuesday suits me', send('Tuesday it is.'));
  const id = await world.begin(wulfhild);
  await wulfhild.reads('Which day?');
  await world.reaches(id, 'WAITING_FOR_REPLY');
  await world.says('hold');
  await wulfhild.writes('Tuesday suits me');
  await world.reaches(id, 'WAITING_FOR_AGENT');
  const begun = await world.begin(await world.person('Wunibald'));
  const asked = () =>
    world.model.calls().filter(({ body }) => JSON.stringify(body).includes('Wunibald')).length;
  expect((await world.run('send', id, 'by hand')).exit).not.toBe(0);
  expect((await world.get(begun)).state).toBe('CREATED');
  expect(asked()).toBe(0);
  expect(await wulfhild.has()).toEqual(['Which day?']);
  await world.says('release');
  expect(await wulfhild.reads('Tuesday it is.')).toEqual(['Which day?', 'Tuesday it is.']);
  await expect.poll(asked).toBeGreaterThan(0);
});
