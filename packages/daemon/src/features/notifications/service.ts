// The owner's operations on notifications: devices, channels, and a test.
import { randomUUID } from 'node:crypto';
import {
  type AddressedChannel,
  MOST_PUSH_DEVICES,
  type NotificationDelivery,
  type NotificationService,
  type NotificationsOverview,
  type PushDevice,
} from '@relay/contract/api/notifications';
import { RelayError } from '@relay/contract/errors';
import type { NotificationSettings } from '@relay/contract/settings';
import { deliveryFailureSentence } from '@relay/core/webhooks/failure';
import type { Transaction } from '../../platform/db/database.ts';
import { beginFollowingNow } from '../../platform/db/event-follower.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type NotificationDeps, sendTest, wantedChannels } from './delivery.ts';
import { PROGRESS } from './follower.ts';
import { loadPushKeys } from './push.ts';
import {
  type DeviceRow,
  deletePushDevice,
  type ListedNotification,
  listNotificationDeliveries,
  listPushDevices,
  lockPushDevices,
  noteDeviceResult,
  putPushDevice,
} from './store.ts';

const LISTED_DELIVERIES = 20;

interface ServiceDeps extends NotificationDeps {
  /** Whether the owner is also notified in their own chat. */
  ownChat(): boolean;
}

/** `onChange` is called when there are more or fewer places to notify. */
export function createNotificationService(
  deps: ServiceDeps,
  onChange: () => void,
): NotificationService {
  const { db, lease, now } = deps;
  const { account } = lease;
  /** From the first place on: what happened before is not notified. */
  const beginIfFirst = async (tx: Transaction): Promise<void> => {
    const devices = await listPushDevices(tx, account, now());
    if ((await wantedChannels(deps, devices.length)).length > 0) return;
    await beginFollowingNow(tx, PROGRESS, account);
  };
  const overview = async (session: string | null): Promise<NotificationsOverview> => {
    // Keys of another home are replaced first, because that removes devices.
    const keys = await loadPushKeys(deps);
    const [devices, deliveries, settings] = await Promise.all([
      listPushDevices(db, account, now(), { session }),
      listNotificationDeliveries(db, account, LISTED_DELIVERIES),
      deps.settings(),
    ]);
    return {
      public_key: keys.publicKey,
      show_text: settings.show_text,
      own_chat: deps.ownChat(),
      devices: devices.map(toApiDevice),
      ntfy: addressedOf(settings, 'ntfy'),
      webhook: addressedOf(settings, 'webhook'),
      deliveries: deliveries.map(toApiDelivery),
    };
  };
  return {
    overview,
    async addDevice({ endpoint, keys, name, locale, renew }, session) {
      // Keys of another home are replaced first, because that removes devices.
      await loadPushKeys(deps);
      const added = await transaction(deps, async ({ tx }) => {
        await lockPushDevices(tx, account);
        const known = await listPushDevices(tx, account, now());
        if (renew && !known.some((device) => device.endpoint === endpoint)) {
          throw new RelayError('push_device_not_found', { device: name });
        }
        await beginIfFirst(tx);
        const id = await putPushDevice(
          tx,
          account,
          { name, endpoint, ...keys, locale, session },
          MOST_PUSH_DEVICES,
        );
        if (id === null) throw new RelayError('push_devices_full', { most: MOST_PUSH_DEVICES });
        const [device] = await listPushDevices(tx, account, now(), { id, session });
        if (device === undefined) throw new Error('a device without a row');
        return device;
      });
      onChange();
      return toApiDevice(added);
    },
    async removeDevice(device) {
      const isRemoved = await transaction(deps, ({ tx }) => deletePushDevice(tx, account, device));
      if (!isRemoved) throw new RelayError('push_device_not_found', { device });
      onChange();
    },
    async setChannel(channel, set) {
      await transaction(deps, ({ tx }) => beginIfFirst(tx));
      await deps.saveChannel(channel, set);
      onChange();
      return addressedOf(await deps.settings(), channel);
    },
    async test({ device, channel }) {
      const devices = await listPushDevices(db, account, now());
      if (device !== undefined && !devices.some(({ id }) => id === device)) {
        throw new RelayError('push_device_not_found', { device });
      }
      const everywhere = device === undefined && channel === undefined;
      const channels = (await wantedChannels(deps, 0)).filter(
        (one): one is AddressedChannel => one !== 'push' && (everywhere || one === channel),
      );
      const places = [
        ...devices.filter(({ id }) => everywhere || id === device),
        ...(channel !== undefined && channels.length === 0 ? [channel] : channels),
      ];
      const results = await Promise.all(places.map((place) => testPlace(deps, place)));
      return { results };
    },
  };
}

const addressedOf = (settings: NotificationSettings, channel: AddressedChannel) => ({
  url: settings[`${channel}_url`],
  has_token: settings[`${channel}_token`] !== null,
});

async function testPlace(deps: NotificationDeps, place: DeviceRow | AddressedChannel) {
  const { status, failure } = await sendTest(deps, place, randomUUID());
  const tried = { ok: failure === null, sentence: failureSentence(failure, status) };
  if (typeof place === 'string') return { channel: place, device: null, ...tried };
  const { account } = deps.lease;
  await transaction(deps, async ({ tx }) => {
    if (failure === 'gone') await deletePushDevice(tx, account, place.id);
    else await noteDeviceResult(tx, account, place.id, failure === null, deps.now());
  });
  return { channel: 'push' as const, device: place.name, ...tried };
}

/** The sentences of webhooks, where they say something else about a notification. */
function failureSentence(failure: string | null, status: number | null): string | null {
  if (failure === 'gone') return 'The address no longer exists.';
  if (failure === 'disabled') return 'No address is set.';
  if (failure === 'sealed') return 'The token was encrypted for another home. Set it again.';
  if (failure === 'not_an_address') return 'The address is not a web address.';
  if (failure === 'address_inside') {
    return 'The address is not on the public internet. Allow it with `notifications.allow` in relay.config.json, such as "127.0.0.1:2586".';
  }
  return deliveryFailureSentence(failure, status);
}

const toApiDevice = (device: DeviceRow): PushDevice => ({
  id: device.id,
  name: device.name,
  current: device.current,
  signed_in: device.signed_in,
  created_at: device.created_at.toISOString(),
  last_delivered_at: device.last_delivered_at?.toISOString() ?? null,
  failing_since: device.failing_since?.toISOString() ?? null,
});

const toApiDelivery = (row: ListedNotification): NotificationDelivery => ({
  id: row.id,
  kind: row.kind,
  action: row.action,
  channel: row.channel,
  device: row.device,
  state: row.state,
  attempts: row.attempts,
  last_error: failureSentence(row.failure, row.last_status),
  created_at: row.created_at.toISOString(),
  next_at: row.next_at?.toISOString() ?? null,
  settled_at: row.settled_at?.toISOString() ?? null,
});
