// Reads the event log in the form of webhooks: for the owner all of it, for a client what it may see. Text is read when
// it is asked for, and a client's read is recorded before it.
import type { EventViewer, TypedEventRow, TypedEvents } from '@relay/contract/api/events';
import type { V1 } from '@relay/contract/api/v1';
import { chatId } from '@relay/contract/ids';
import { mapStreamEvent } from '@relay/core/webhooks/event-mapping';
import type { EventVisibility } from '@relay/core/webhooks/visibility';
import { readAccountName } from '../../platform/db/account.ts';
import { PostgresEventLog } from '../../platform/db/events.ts';
import { noteTokenReads } from '../../platform/db/tokens.ts';
import { makeDeliveryData, type WebhookDeps } from './delivery.ts';
import { type LocatedEvent, loadVisibilities, locateEvents } from './delivery-store.ts';

export function createTypedEvents(deps: WebhookDeps): TypedEvents {
  const { db, lease, admins } = deps;
  const log = new PostgresEventLog(db, lease.account);
  return {
    async read(after, limit, viewer) {
      const rows = await log.read(after, limit);
      const mapped = rows.flatMap((row) => mapStreamEvent(row).map((event) => ({ row, event })));
      const located = await locateEvents(
        db,
        lease.account,
        mapped.map(({ event }) => event),
      );
      const name = mapped.length === 0 ? '' : await readAccountName(db, lease.account);
      const { client } = viewer;
      const context = { db, account: lease.account, admins };
      const seen =
        client === null
          ? located.map(() => 'text' as const)
          : await loadVisibilities(context, located, client);
      const shown: TypedEventRow[] = [];
      for (const { cursor, at } of rows) {
        const events: V1<'event'>[] = [];
        for (const [n, { row }] of mapped.entries()) {
          const event = located[n];
          const visibility = seen[n] ?? 'hidden';
          if (row.cursor !== cursor || !event || visibility === 'hidden') continue;
          const id = `${cursor}-${events.length}`;
          const built = await buildEvent(deps, event, { ...viewer, visibility });
          if (built !== null) {
            events.push({ event_id: id, account: name, occurred_at: at, ...built } as V1<'event'>);
          }
        }
        shown.push({ cursor, events });
      }
      return shown;
    },
  };
}

async function buildEvent(
  deps: WebhookDeps,
  { type, facts, place }: LocatedEvent,
  { client, includeText, visibility }: EventViewer & { readonly visibility: EventVisibility },
): Promise<Pick<V1<'event'>, 'type' | 'data'> | null> {
  const withText = includeText && visibility === 'text';
  if (withText && client !== null && place.chat !== null) {
    await noteTokenReads(deps.db, deps.lease.account, client.id, [chatId(place.chat)]);
  }
  const data = await makeDeliveryData(type, { deps, includeText: withText, facts });
  return data === null ? null : ({ type, data } as Pick<V1<'event'>, 'type' | 'data'>);
}
