// Web Push: the key pair that identifies this daemon to push services, and messages encrypted for one browser.
// `web-push` encrypts and signs; the request leaves through `Egress` like every other.

import type { PushPayload } from '@relay/contract/notifications/push-payload';
import type { Sealer } from '@relay/core/ports/sealer';
import type { Db } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { EgressRequest } from '../../platform/egress/egress.ts';
import { type DeviceRow, readPushKeys, replacePushKeys } from './store.ts';

interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

interface PushKeyDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly sealer: Sealer;
}

const SEALED_NAME = 'push/private_key';
/** Push services require a contact. Relay knows no address of its owner, and would not pass one on. */
const CONTACT = 'mailto:relay@example.com';

// Loaded with the first use, because most daemons start without it.
const library = async () => (await import('web-push')).default;

/** Creates the pair at the first use, and again in another home, which cannot open the old one. */
export async function loadPushKeys(deps: PushKeyDeps): Promise<PushKeys> {
  const { db, lease, sealer } = deps;
  const open = async (from: Db): Promise<PushKeys | null> => {
    const stored = await readPushKeys(from, lease.account);
    if (stored === null) return null;
    try {
      const privateKey = Buffer.from(sealer.open(SEALED_NAME, stored.private_key)).toString();
      return { publicKey: stored.public_key, privateKey };
    } catch {
      return null;
    }
  };
  const known = await open(db);
  if (known !== null) return known;
  const made = (await library()).generateVAPIDKeys();
  return transaction(deps, async ({ tx }) => {
    const meanwhile = await open(tx);
    if (meanwhile !== null) return meanwhile;
    await replacePushKeys(tx, lease.account, {
      public_key: made.publicKey,
      private_key: sealer.seal(SEALED_NAME, Buffer.from(made.privateKey)),
    });
    return made;
  });
}

interface PushMessage {
  readonly payload: PushPayload;
  /** A push service that could not deliver an earlier message under this topic drops that one. */
  readonly topic: string;
  readonly ttlSeconds: number;
  readonly isUrgent: boolean;
}

export async function pushRequest(
  keys: PushKeys,
  { endpoint, p256dh, auth }: Pick<DeviceRow, 'endpoint' | 'p256dh' | 'auth'>,
  { payload, topic, ttlSeconds, isUrgent }: PushMessage,
): Promise<Pick<EgressRequest, 'headers' | 'body'>> {
  const { encrypt, getVapidHeaders } = await library();
  const { origin } = new URL(endpoint);
  const { publicKey, privateKey } = keys;
  const { Authorization: authorization } = getVapidHeaders(
    origin,
    CONTACT,
    publicKey,
    privateKey,
    'aes128gcm',
  );
  return {
    headers: {
      authorization,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(ttlSeconds),
      topic,
      urgency: isUrgent ? 'high' : 'normal',
    },
    body: encrypt(p256dh, auth, JSON.stringify(payload), 'aes128gcm').cipherText,
  };
}
