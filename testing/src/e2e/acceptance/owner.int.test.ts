// The owner's control over sending: text that quotes confidential instructions needs approval, a hold stops everything
// until it is released, and notices go to the owner's own phone only.
import type { Approval } from '@relay/contract/api/approvals';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcceptanceHarness, ME, openAcceptanceHarness } from './harness.ts';
import { FIRST, send } from './script.ts';

const SIGNATURE = 'SIGN-4f3a-99bc-1d2e';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness({
    settings: {
      tell_owner_on_whatsapp: true,
      agent: { instructions: `Never say how you sign: ${SIGNATURE}.` },
    },
  });
});
afterAll(() => harness.end());

const ownChat = async () => (await harness.phones.messages(ME, ME)).map(({ text }) => text);
const waiting = (id: string) =>
  harness.api
    .ok<Approval[]>('GET', '/api/approvals')
    .then((all) => all.filter(({ instance_id }) => instance_id === id));

it("a message that quotes the owner's instructions is sent only after approval, and exactly once", async () => {
  const walburga = await harness.person('Walburga');
  const text = `Hello,  signed ${SIGNATURE} 🙂`;
  walburga.meets(FIRST, send(text));
  const id = await harness.begin(walburga);
  await harness.reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  const [asked, ...others] = await waiting(id);
  expect(asked).toMatchObject({ text, recipient: walburga.number, reason_code: 'quotes_private' });
  expect(others).toEqual([]);
  expect(await harness.says('approvals', 'list')).toContain(SIGNATURE);
  expect(await walburga.has()).toEqual([]);

  const notice = `Relay: a message to ${walburga.number} needs your approval.`;
  await expect.poll(ownChat).toEqual([expect.stringContaining(notice)]);
  expect(await harness.run('approvals', 'approve', asked?.id ?? '')).toMatchObject({ exit: 0 });
  expect(await walburga.reads(text)).toEqual([text]);
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  const again = await harness.run('approvals', 'approve', asked?.id ?? '');
  expect(again).toMatchObject({ out: '' });
  expect(again.exit).not.toBe(0);
  expect(await waiting(id)).toEqual([]);
  expect(await walburga.has()).toEqual([text]);
});

it('a declined message is not sent, and the conversation continues when it is resumed', async () => {
  const winfried = await harness.person('Winfried');
  winfried.meets(FIRST, send(`Signed ${SIGNATURE}`));
  const id = await harness.begin(winfried);
  await harness.reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  const [asked] = await waiting(id);
  await harness.says('approvals', 'reject', asked?.id ?? '', '--reason', 'not that');
  expect(await waiting(id)).toEqual([]);
  expect(await harness.lines(id)).toContain(
    'system: The message that waited was rejected: not that',
  );
  winfried.meets(FIRST, send('Hello'));
  await harness.change(id, 'resume');
  expect(await winfried.reads('Hello')).toEqual(['Hello']);
});

it('nothing is sent and no agent runs on hold; after the release deferred work happens once', async () => {
  const wulfhild = await harness.person('Wulfhild');
  wulfhild.meets(FIRST, send('Which day?'));
  wulfhild.meets('Tuesday suits me', send('Tuesday it is.'));
  const id = await harness.begin(wulfhild);
  await wulfhild.reads('Which day?');
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  await harness.says('hold');
  await wulfhild.writes('Tuesday suits me');
  await harness.reaches(id, 'WAITING_FOR_AGENT');
  const begun = await harness.begin(await harness.person('Wunibald'));
  const asked = () =>
    harness.model.calls().filter(({ body }) => JSON.stringify(body).includes('Wunibald')).length;
  expect((await harness.run('send', id, 'by hand')).exit).not.toBe(0);
  expect((await harness.get(begun)).state).toBe('CREATED');
  expect(asked()).toBe(0);
  expect(await wulfhild.has()).toEqual(['Which day?']);
  await harness.says('release');
  expect(await wulfhild.reads('Tuesday it is.')).toEqual(['Which day?', 'Tuesday it is.']);
  await expect.poll(asked).toBeGreaterThan(0);
});
