// Harness for webhooks with its own database: contacts write, time passes, and deliveries are inspected. The test
// controls the clock, and `pass` also makes jobs due.
import { randomUUID } from 'node:crypto';
import { type CreateWebhook, createWebhookSchema } from '@relay/contract/api/webhooks';
import type { ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { phoneAlias } from '@relay/core/contacts/alias';
import type { Sealer } from '@relay/core/ports/sealer';
import type { DaemonHarness } from '@relay/testing/daemon-harness';
import { eventually } from '@relay/testing/store';
import { loadApprovals } from '../../../pipeline/gate/approval-store.ts';
import { findOrMakeChats } from '../../../platform/db/chats.ts';
import { resolveSightings } from '../../../platform/db/contacts.ts';
import { appendEvent } from '../../../platform/db/events.ts';
import { putMessages } from '../../../platform/db/messages.ts';
import {
  type EgressOptions,
  findInsideAddresses,
  openEgress,
} from '../../../platform/egress/egress.ts';
import type { WebhookDeps } from '../delivery.ts';
import { allowedWebhookHosts, openWebhooks } from '../feature.ts';

/** Does not encrypt, but distinguishes homes and names. */
const sealer = (home = 'home'): Sealer => ({
  seal: (name, plain) => Buffer.concat([Buffer.from(`${home}/${name}:`), plain]),
  open(name, sealed) {
    const head = `${home}/${name}:`;
    const text = Buffer.from(sealed).toString();
    if (!text.startsWith(head)) throw new Error('sealed for another place');
    return Buffer.from(text.slice(head.length));
  },
  mac: (text) => Buffer.from(`${home}:${text}`),
  forAccount: () => sealer(home),
});

export interface WebhookFixtureOptions extends EgressOptions {
  readonly home?: string;
  /** A receiver's time limit, instead of the default. */
  readonly timeoutMs?: number;
}

export function openWebhookFixture(
  harness: DaemonHarness,
  { home, timeoutMs, ...egress }: WebhookFixtureOptions = {},
) {
  const { sql, account, conversations } = harness;
  const { db, events } = conversations;
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const places = egress.allowedAddresses ?? [];
  const options = { ...egress, allowedAddresses: allowedWebhookHosts(places) };
  const guarded = openEgress(options);
  const own: WebhookDeps = {
    ...conversations,
    now,
    egress: (url, request) =>
      guarded(url, { ...request, ...(timeoutMs === undefined ? {} : { timeoutMs }) }),
    insideAddresses: (url) => findInsideAddresses(url, options),
    allowedAddresses: places,
    admins: [],
    sealer: sealer(home),
    approval: async (id) => (await loadApprovals(db, account, { id }))[0] ?? null,
  };
  const webhooks = openWebhooks(own);
  const deliveries = (columns = 'state, attempts, failure') =>
    sql(`SELECT ${columns} FROM webhook_deliveries ORDER BY seq`);
  const open = () =>
    sql(`SELECT 1 FROM relay_jobs.job WHERE name = 'webhook'
      AND (state IN ('active', 'retry') OR (state = 'created' AND start_after <= now())) LIMIT 1`);
  return {
    own,
    webhooks,
    now,
    service: webhooks.service,
    deliveries,
    add: (input: Partial<CreateWebhook> & { url: string }) =>
      webhooks.service.create(createWebhookSchema.parse(input)),
    /** A message of a contact, or of the owner on their phone. */
    async says(phone: string, body: string, { fromMe = false } = {}) {
      const alias = phoneAlias(phone);
      if (alias === null) throw new Error('no number');
      const said = await db.transaction().execute(async (tx) => {
        const [contact] = await resolveSightings(tx, account, [[alias]]);
        const found = await findOrMakeChats(tx, account, {
          contacts: [contact as ContactId],
          groups: [],
        });
        const chat = found.byContact.get(contact as ContactId) as ChatId;
        const id = randomUUID().toUpperCase() as unknown as MessageId;
        const numbers = await putMessages(tx, account, [
          {
            chat,
            sender: fromMe ? null : (contact as ContactId),
            id,
            sentAt: new Date(),
            kind: 'text',
            body,
            quotedId: null,
            media: null,
            isLate: false,
            source: 'whatsapp',
            inboxSeq: null,
          },
        ]);
        const data = { number: numbers.get(0), message: id };
        await appendEvent(tx, account, { kind: 'message', subject: chat, data });
        return { chat, contact: contact as ContactId, id };
      });
      events.hint();
      return said;
    },
    async happens(kind: string, subject: string | null, data: Record<string, unknown>) {
      await db.transaction().execute((tx) => appendEvent(tx, account, { kind, subject, data }));
      events.hint();
    },
    /** Waits until the log was read to its end and no due delivery is left. */
    quiet: () =>
      eventually(async () => {
        const [behind] = await sql(`SELECT 1 FROM events e, webhook_progress p
          WHERE e.account_id = p.account_id AND EXISTS (SELECT FROM webhooks WHERE enabled)
            AND (e.xid, e.id) > (split_part(p.cursor, '-', 1)::xid8, split_part(p.cursor, '-', 2)::bigint) LIMIT 1`);
        if (behind !== undefined) events.hint();
        return behind === undefined && (await open()).length === 0;
      }),
    /** Advances the clock and the jobs that wait. */
    async pass(ms: number) {
      ahead += ms;
      await sql(
        `UPDATE relay_jobs.job SET start_after = start_after - make_interval(secs => $1)
        WHERE name = 'webhook' AND state = 'created'`,
        [ms / 1000],
      );
      harness.jobs.wake('webhook');
    },
  };
}
