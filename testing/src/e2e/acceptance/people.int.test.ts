// Contacts from the command to the phone: message requests, grants, and a revoked grant that also stops queued
// messages.
import type { ListedContact, Permission } from '@relay/contract/api/contacts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { eventually } from '../gateway.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());

const contacts = async (query: string) =>
  (await harness.api.ok<{ contacts: ListedContact[] }>('GET', `/api/contacts?${query}`)).contacts;
const knocks = () => contacts('knocks=only');
const knocking = (count: number) =>
  eventually(`${count} knocks`, async () => {
    const [contact] = await knocks();
    return contact?.knocks?.count === count ? contact : undefined;
  });

it('a stranger is neither read nor answered, and the owner sees a message request', async () => {
  verifies('000-PERM-DENY');
  const mallory = await harness.person('Mallory');
  await mallory.writes('Are you there?');
  await mallory.writes('I said: are you there?');
  const contact = await knocking(2);
  expect(contact).toMatchObject({ name: 'Mallory', phone_number: mallory.phone, grant: null });
  expect(harness.model.calls()).toEqual([]);
  expect(await mallory.has()).toEqual([]);
  expect(await harness.relay.query('SELECT count(*)::int AS n FROM relay.outbox')).toEqual([
    { n: 0 },
  ]);
  const routed = await harness.relay.query(
    "SELECT DISTINCT outcome, reason FROM relay.ledger WHERE action = 'route_message'",
  );
  expect(routed).toEqual([{ outcome: 'stored', reason: 'no_grant' }]);

  // A record that allows nothing is a refusal too; a read grant alone allows no writing.
  const byName = await harness.run('grant', 'Mallory', '--reply');
  expect(byName).toMatchObject({ exit: 2, out: '' });
  expect(byName.err).toContain(`Mallory could mean: Mallory (${mallory.number}).`);
  await harness.says('grant', mallory.number, '--reply');
  await harness.says('revoke', 'Mallory');
  await mallory.writes('Hello?');
  await knocking(1);
  expect(harness.model.calls()).toEqual([]);
  expect(await harness.says('contacts', 'dismiss', 'Mallory')).toContain('Dismissed: Mallory');
  expect(await knocks()).toEqual([]);
  await harness.says('revoke', 'Mallory', '--remove');
  expect(await mallory.has()).toEqual([]);
});

it('an approved draft is not sent after the grant is revoked', async () => {
  const mom = await harness.person('Marlene Dietrich');
  harness.model.rules([{ reply: { text: 'See you then!' } }]);
  expect(await harness.says('grant', mom.number, '--read', '--draft', '--name', 'Mom')).toBe(
    `Mom (${mom.number}): agents may read and draft replies that you approve.\nReplies need your approval: \`relay approvals\`.\n`,
  );
  await mom.writes('Dinner at eight?');
  const [draft] = await eventually('a draft', async () => {
    const waiting = await harness.api.ok<{ id: string; text: string }[]>('GET', '/api/approvals');
    return waiting.length > 0 ? waiting : undefined;
  });
  expect(draft).toMatchObject({ text: 'See you then!', recipient_name: 'Mom' });
  await harness.api.ok('POST', '/api/whatsapp/disconnect', {});
  expect(await harness.says('approvals', 'approve', draft?.id.slice(0, 8) ?? '')).toContain(
    'Approved',
  );
  expect(await harness.says('revoke', 'Mom', '--reply')).toBe(
    `Mom (${mom.number}): agents may read.\n`,
  );
  await harness.api.connect();
  await harness.api.connected();
  const failed = await eventually('the end of the message', async () => {
    const [row] = await harness.relay.query(
      "SELECT state, failure FROM relay.outbox WHERE body = 'See you then!'",
    );
    return row?.state === 'pending' ? undefined : row;
  });
  expect(failed).toMatchObject({ state: 'failed', failure: expect.stringContaining('replies') });
  expect(await mom.has()).toEqual([]);
});

it('contacts are found by the names people use, and an ambiguous name is not guessed', async () => {
  const granted = await harness.gives<Permission>(
    'grant',
    '+1 (415) 555-3001',
    '--name',
    'Ann Lee',
  );
  expect(granted).toMatchObject({ phoneNumber: '14155553001', canRead: true, canReply: false });
  // In the country of the linked number.
  expect(
    await harness.gives('grant', '415 555 3002', '--name', 'Ann Smith', '--reply'),
  ).toMatchObject({ phoneNumber: '14155553002', canRead: false, canReply: true });
  const unclear = await harness.run('grant', 'ann', '--read');
  expect(unclear).toMatchObject({ exit: 2, out: '' });
  expect(unclear.err).toContain(
    'ann could mean: Ann Lee (+14155553001), Ann Smith (+14155553002).',
  );
  expect(await harness.gives('grant', 'ann SMITH', '--read', '--initiate')).toMatchObject({
    canRead: true,
    canReply: true,
    canInitiate: true,
  });
  expect(await harness.run('grant', 'Nobody')).toMatchObject({
    exit: 4,
    err: expect.stringContaining('There is no contact named Nobody.'),
  });
  expect(await harness.run('revoke', '+14155559999')).toMatchObject({ exit: 4 });
  const quiet = ['--persona', 'Short and kind.', '--quiet', '22:00-7:00'];
  expect(await harness.gives('grant', 'Ann Lee', ...quiet)).toMatchObject({
    options: { persona: 'Short and kind.', quietHours: { from: '22:00', to: '07:00' } },
  });
  expect(await harness.gives('grant', 'Ann Lee', '--persona', '')).toMatchObject({
    options: { quietHours: { from: '22:00', to: '07:00' } },
  });
  const table = (await harness.says('contacts', 'ann')).split('\n');
  expect(table.map((line) => line.replace(/\s+/g, ' ').trim())).toEqual([
    'NAME NUMBER READ REPLY START LAST MESSAGE REQUESTS',
    'Ann Lee +14155553001 yes no no',
    'Ann Smith +14155553002 yes yes yes',
    '',
  ]);
  expect(await harness.gives('revoke', 'Ann Smith', '--remove')).toEqual({ success: true });
  expect(await harness.run('revoke', 'Ann Smith')).toMatchObject({ exit: 4 });
});

it('a group has its own grant', async () => {
  const bob = await harness.person('Bob');
  const group = await harness.phones.group('Chess club', '15550000000', [bob.phone]);
  await eventually('the group', async () => {
    const [found] = await contacts('query=chess');
    return found;
  });
  expect(
    await harness.gives('grant', 'Chess club', '--group', '--read', '--name', 'Chess club'),
  ).toMatchObject({
    kind: 'group',
    jid: group,
    displayName: 'Chess club',
    canRead: true,
  });
  expect(await harness.says('revoke', 'chess', '--group')).toContain('agents may do nothing');
});
