// Harness for notifications with its own database and home: approvals are asked for, time passes, and what arrives at a
// push service and at other receivers is inspected. The test controls the clock.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalId } from '@relay/contract/ids';
import { notificationSettingsSchema } from '@relay/contract/settings';
import type { DaemonHarness } from '@relay/testing/daemon-harness';
import { testSealer } from '@relay/testing/sealer';
import { eventually } from '@relay/testing/store';
import { countPendingApprovals, loadApprovals } from '../../../pipeline/gate/approval-store.ts';
import { createGrantService } from '../../../pipeline/gate/grants.ts';
import { findOrMakeChat } from '../../../pipeline/gate/send-as-owner.ts';
import { appendEvent } from '../../../platform/db/events.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { openEgress } from '../../../platform/egress/egress.ts';
import {
  readNotificationChannel,
  readNotificationSettings,
  saveNotificationChannel,
} from '../../../platform/home/sealed-settings.ts';
import { saveSettings } from '../../../platform/home/settings.ts';
import { openNotifications } from '../feature.ts';

export async function openNotificationFixture(harness: DaemonHarness, allowed: readonly string[]) {
  const { sql, account, conversations, settings } = harness;
  const { db, lease, events, gate } = conversations;
  const home = await mkdtemp(join(tmpdir(), 'relay notifications '));
  const mom = createGrantService({ db, lease, gate, onChange: () => events.hint() }).create({
    phoneNumber: '4915100099999',
    displayName: 'Mom',
    canRead: true,
    canReply: true,
    canInitiate: false,
    replyMode: 'draft',
    options: {},
  });
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const open = () =>
    openNotifications({
      ...conversations,
      now,
      sealer: testSealer,
      settings: () => readNotificationSettings(home),
      channel: (channel) => readNotificationChannel(home, testSealer, channel),
      saveChannel: (channel, set) => saveNotificationChannel(home, testSealer, channel, set),
      egress: openEgress({ allowedAddresses: allowed }),
      agent: settings.agent,
      approval: async (id) => (await loadApprovals(db, account, { id }))[0] ?? null,
      countApprovals: () => countPendingApprovals(db, account),
      localUrl: () => 'http://127.0.0.1:3214',
      ownChat: () => false,
    });
  const due = () =>
    sql(`SELECT 1 FROM relay_jobs.job WHERE name = 'notification'
      AND (state IN ('active', 'retry') OR (state = 'created' AND start_after <= now())) LIMIT 1`);
  return {
    home,
    now,
    /** Like a daemon that starts for this home. */
    open,
    settings: (changed: object) =>
      saveSettings(home, { notifications: notificationSettingsSchema.parse(changed) }),
    /** A draft for Mom that waits for the owner. */
    async asks(text: string): Promise<ApprovalId> {
      const { jid } = await mom;
      const { approval } = await transaction({ db, lease }, async ({ tx }) => {
        const chat = await findOrMakeChat(tx, account, jid ?? '');
        return gate.submit(tx, { kind: 'auto_reply', chat }, { kind: 'send_message', chat, text });
      });
      if (approval === null) throw new Error('nothing waits');
      events.hint();
      return approval;
    },
    async happens(kind: string, subject: string | null, data: Record<string, unknown>) {
      await transaction({ db, lease }, ({ tx }) =>
        appendEvent(tx, account, { kind, subject, data }),
      );
      events.hint();
    },
    /** Waits until the log was read to its end and no due delivery is left. */
    quiet: () =>
      eventually(async () => {
        const [behind] = await sql(`SELECT 1 FROM events e, notification_progress p
          WHERE e.account_id = p.account_id
            AND (e.xid, e.id) > (split_part(p.cursor, '-', 1)::xid8, split_part(p.cursor, '-', 2)::bigint) LIMIT 1`);
        if (behind !== undefined) events.hint();
        return behind === undefined && (await due()).length === 0;
      }),
    /** Advances the clock and the jobs that wait. */
    async pass(ms: number) {
      ahead += ms;
      await sql(
        `UPDATE relay_jobs.job SET start_after = start_after - make_interval(secs => $1)
        WHERE name = 'notification' AND state = 'created'`,
        [ms / 1000],
      );
      harness.jobs.wake('notification');
    },
    deliveries: () =>
      sql(
        `SELECT d.channel, d.action, d.state, d.attempts, d.failure FROM notification_deliveries d ORDER BY d.seq`,
      ),
  };
}
