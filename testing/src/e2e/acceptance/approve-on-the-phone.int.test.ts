// A draft is shown in the owner's own chat and sent when they approve it there, without a terminal.
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../gateway.ts';
import { type AcceptanceHarness, ME, openAcceptanceHarness } from './harness.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  // Not set: notices are on by default.
  harness = await openAcceptanceHarness({ settings: { tell_owner_on_whatsapp: undefined } });
});
afterAll(() => harness.end());

const told = async () =>
  (await harness.phones.messages(ME, ME)).map(({ text }) => text ?? '').filter(isNotice);
const isNotice = (text: string) => text.startsWith('Relay: ');

it('a 👍 on the notice sends exactly the text it shows', async () => {
  verifies('TRUST-APPROVE-REACTION', 'NOTIFY-OWN-CHAT');
  const dad = await harness.person('Dieter');
  harness.model.rules([{ reply: { text: 'See you on Sunday.' } }]);
  await harness.api.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: dad.phone,
    displayName: 'Dad',
    canRead: true,
    canReply: true,
    replyMode: 'draft',
  });
  await dad.writes('Sunday?');
  const notice = await eventually('the notice', async () =>
    (await harness.phones.messages(ME, ME)).find(({ text }) =>
      text?.includes('See you on Sunday.'),
    ),
  );
  await harness.phones.react(ME, ME, { id: notice.id, emoji: '👍' });
  expect(await dad.reads('See you on Sunday.')).toEqual(['See you on Sunday.']);
  expect(await harness.api.ok('GET', '/api/approvals')).toEqual([]);
});

it('a pending approval is announced once with its exact text, and `/approve` sends it', async () => {
  const mom = await harness.person('Marlene');
  harness.model.rules([{ reply: { text: 'Eight is fine.' } }]);
  await harness.api.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: mom.phone,
    displayName: 'Mom',
    canRead: true,
    canReply: true,
    replyMode: 'draft',
  });
  await mom.writes('Dinner at eight?');
  const notice = await eventually('the note', async () =>
    (await told()).find((text) => text.includes('Eight is fine.')),
  );
  const [, id] = /\/approve ([0-9a-f]{8})\./.exec(notice) ?? [];
  expect(notice).toBe(
    `Relay: a message to Mom (${mom.number}) needs your approval.\n\n│ Eight is fine.\n\nReplies in this chat are drafts that you approve.\nApprove: 👍 or /approve ${id}. Decline: 👎 or /reject ${id}`,
  );
  expect(await mom.has()).toEqual([]);
  await harness.phones.send(ME, ME, `/approve ${id}`);
  expect(await mom.reads('Eight is fine.')).toEqual(['Eight is fine.']);
  expect((await told()).filter((text) => text.includes('Eight is fine.'))).toHaveLength(1);
  expect(await harness.api.ok('GET', '/api/approvals')).toEqual([]);
});

it('a 👍 given while Relay is stopped sends the text once, and a second 👍 nothing more', async () => {
  verifies('NOTIFY-OWN-CHAT');
  const sister = await harness.person('Greta');
  harness.model.rules([{ reply: { text: 'I bring the cake.' } }]);
  await harness.api.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: sister.phone,
    displayName: 'Greta',
    canRead: true,
    canReply: true,
    replyMode: 'draft',
  });
  await sister.writes('Who brings the cake?');
  const notice = await eventually('the notice', async () =>
    (await harness.phones.messages(ME, ME)).find(({ text }) => text?.includes('I bring the cake.')),
  );
  await harness.relay.stop();
  await harness.phones.react(ME, ME, { id: notice.id, emoji: '👍' });
  await harness.relay.start();
  expect(await sister.reads('I bring the cake.')).toEqual(['I bring the cake.']);
  await harness.relay.stop();
  await harness.relay.start();
  await harness.phones.react(ME, ME, { id: notice.id, emoji: '👍' });
  // Whatever the second reaction would send leaves before this.
  await sister.writes('And the candles?');
  await eventually('the next notice', async () =>
    (await harness.phones.messages(ME, ME)).find(
      ({ id, text }) => id !== notice.id && text?.includes('I bring the cake.'),
    ),
  );
  expect(await sister.has()).toEqual(['I bring the cake.']);
});
