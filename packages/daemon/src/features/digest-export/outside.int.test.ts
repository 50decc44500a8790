// Tests the digest export: each digest once, signed, retried, and removed when it is erased.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatId, DigestId } from '@relay/contract/ids';
import { type DigestExportSettings, digestExportSettingsSchema } from '@relay/contract/settings';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { removeFolder } from '@relay/testing/remove-folder';
import { eventually } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { putDigest } from '../../platform/db/observer/digests.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { openEgress } from '../../platform/egress/egress.ts';
import { openDigestExport } from './feature.ts';

const harness = await freshDaemonHarness();
const { sql, account, conversations, jobs } = harness;
const folder = await mkdtemp(join(tmpdir(), 'relay-outside-'));
afterAll(() => removeFolder(folder));

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}
const received: Received[] = [];
let status = 200;
const server = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  received.push({ headers: request.headers as Record<string, string>, body });
  response.writeHead(status).end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => void server.close());
const { port } = server.address() as AddressInfo;

let settings: DigestExportSettings;
const outside = openDigestExport({
  ...conversations,
  egress: openEgress({ allowedAddresses: [`127.0.0.1:${port}`] }),
  zone: 'UTC',
  settings: async () => settings,
  save: async (changed) => {
    settings = { ...settings, ...changed };
    return settings;
  },
});
await outside.start();

let chat: ChatId;
beforeEach(async () => {
  received.length = 0;
  status = 200;
  settings = digestExportSettingsSchema.parse({ folder, device_id: 'annie-whatsapp' });
  await removeFolder(folder);
  await sql('TRUNCATE digests, outside_copies, chats CASCADE');
  chat = randomUUID() as ChatId;
  await sql(
    "INSERT INTO chats (account_id, id, kind, group_address, subject) VALUES ($1, $2, 'group', 'g@g.us', 'Holliday')",
    [account, chat],
  );
  await sql(
    "INSERT INTO observed_groups (account_id, chat_id, zone) VALUES ($1, $2, 'Asia/Kolkata')",
    [account, chat],
  );
});

const START = new Date('2026-03-11T22:30:00Z');

async function write(
  body: string,
  { kind = 'daily' as 'hourly' | 'daily', now = new Date() } = {},
): Promise<DigestId> {
  return transaction(conversations, async (work) => {
    const id = await putDigest(
      work.tx,
      account,
      {
        chat,
        kind,
        start: START,
        end: new Date(+START + 86_400_000),
        body,
        tokens: 10,
        messages: 3,
        lastMessageNumber: 3,
        run: null,
        facts: [
          {
            kind: 'decision',
            text: 'Dinner at eight',
            who: 'Mom',
            when: null,
            saidAt: new Date('2026-03-12T09:00:00Z'),
          },
        ],
      },
      now,
    );
    await outside.enqueue(work, id, kind);
    return id;
  });
}

const idle = () =>
  eventually(
    async () =>
      (
        await sql(
          "SELECT 1 FROM relay_jobs.job WHERE name = 'outside_memory' AND state < 'completed' LIMIT 1",
        )
      ).length === 0,
  );

async function lines(): Promise<Record<string, unknown>[]> {
  const files = await readdir(folder).catch(() => []);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

test('writes a digest and each of its facts as lines of the day’s file', async () => {
  verifies('004-T2-JSONL');
  const id = await write('The family planned the weekend.');
  await idle();
  // The group's day: half past ten in the evening in London is the next morning in Kolkata.
  expect(await readdir(folder)).toEqual(['2026-03-12.jsonl']);
  const place = { digest_id: id, device_id: 'annie-whatsapp', group: 'Holliday', group_id: chat };
  expect(await lines()).toEqual([
    {
      id,
      ...place,
      segment: 'digest',
      kind: 'daily',
      time: '2026-03-12T22:30:00.000Z',
      start: '2026-03-11T22:30:00.000Z',
      end: '2026-03-12T22:30:00.000Z',
      text: 'The family planned the weekend.',
    },
    {
      id: `${id}/1`,
      ...place,
      segment: 'fact',
      kind: 'decision',
      time: '2026-03-12T09:00:00.000Z',
      who: 'Mom',
      text: 'Dinner at eight',
    },
  ]);
});

test('writes the latest version once, even after a kill before the job was done', async () => {
  const id = await write('First');
  await idle();
  // As after a kill: the lines are written and the job is not done.
  await transaction(conversations, (work) => outside.enqueue(work, id, 'daily'));
  jobs.wake('outside_memory');
  await idle();
  expect(await lines()).toHaveLength(2);
  await write('Second');
  await idle();
  expect((await lines()).map(({ text }) => text)).toEqual(['Second', 'Dinner at eight']);
});

test('exports hourly digests only where enabled, and nothing without a target', async () => {
  await write('An hour', { kind: 'hourly' });
  settings = { ...settings, folder: null };
  await write('A day');
  await idle();
  expect(await lines()).toEqual([]);
  settings = { ...settings, folder, hourly: true };
  await write('An hour', { kind: 'hourly' });
  await idle();
  expect(await lines()).toHaveLength(2);
});

test('sends a signed request to the webhook with the same id until it is accepted, then no more', async () => {
  const { webhook_secret: secret } = await outside.service.change({
    folder: null,
    webhook_url: `http://127.0.0.1:${port}/memory`,
  });
  expect(secret).toMatch(/^whsec_/);
  expect(await outside.service.state()).toMatchObject({ signed: true });
  status = 503;
  const made = new Date('2026-03-12T23:00:00Z');
  const id = await write('Over the wire', { now: made });
  await eventually(() => received.length > 0);
  status = 200;
  await eventually(async () => {
    await sql("UPDATE relay_jobs.job SET start_after = now() WHERE name = 'outside_memory'");
    jobs.wake('outside_memory');
    return received.length > 1;
  });
  await idle();
  expect(received.length).toBe(2);
  for (const { headers, body } of received) {
    expect(headers['webhook-id']).toBe(`${id}.${+made}`);
    expect(new Webhook(secret ?? '').verify(body, headers)).toMatchObject({
      type: 'digest.written',
      data: { digest_id: id, segments: [{ text: 'Over the wire' }, { text: 'Dinner at eight' }] },
    });
  }
  await transaction(conversations, (work) => outside.enqueue(work, id, 'daily'));
  jobs.wake('outside_memory');
  await idle();
  expect(received.length).toBe(2);
});

test('never connects to an address inside the network', async () => {
  settings = {
    ...settings,
    folder: null,
    webhook_url: 'http://127.0.0.1:1/x',
    webhook_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  };
  await write('Secret');
  await eventually(() =>
    harness.logged.some(
      ({ fields }) =>
        JSON.stringify(fields.error ?? '').includes('EgressError') ||
        String(fields.error).includes('public internet'),
    ),
  );
  expect(received).toEqual([]);
  // The failure is logged before the job is put back; only then can the job be removed for the next test.
  await eventually(
    async () =>
      (await sql("SELECT 1 FROM relay_jobs.job WHERE name = 'outside_memory' AND state = 'retry'"))
        .length === 1,
  );
  await sql("DELETE FROM relay_jobs.job WHERE name = 'outside_memory'");
});

test('removes erased digests from the files at once, and notifies the webhook', async () => {
  settings = {
    ...settings,
    webhook_url: `http://127.0.0.1:${port}/`,
    webhook_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  };
  const id = await write('To be forgotten');
  await idle();
  expect(await outside.copies.erase([id])).toBe(2);
  expect(await lines()).toEqual([]);
  // A late job writes nothing any more.
  await transaction(conversations, (work) => outside.enqueue(work, id, 'daily'));
  jobs.wake('outside_memory');
  await idle();
  expect(await lines()).toEqual([]);
  await sql('DELETE FROM digests');
  await outside.removeOrphanedCopies();
  expect(JSON.parse(received.at(-1)?.body ?? '{}')).toMatchObject({
    type: 'digest.erased',
    data: { digest_id: id },
  });
  expect(await sql('SELECT 1 FROM outside_copies')).toEqual([]);
});

test('removes the lines of a digest that was deleted in any other way', async () => {
  await write('Gone');
  await idle();
  await sql('DELETE FROM digests');
  await outside.removeOrphanedCopies();
  expect(await lines()).toEqual([]);
  expect(await sql('SELECT 1 FROM outside_copies')).toEqual([]);
});

test('requires an absolute path of the folder', async () => {
  await expect(outside.service.change({ folder: 'memory' })).rejects.toMatchObject({
    code: 'outside_folder',
  });
});
