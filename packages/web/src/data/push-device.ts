// Notifications in this browser: its subscription at a push service, and the device that the daemon knows it by.
import { relay } from './relay.ts';

/** `blocked`: the owner refused them in the browser. */
type PushSupport = 'unsupported' | 'blocked' | 'possible';

export function pushSupport(): PushSupport {
  const isThere =
    'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  if (!isThere) return 'unsupported';
  return Notification.permission === 'denied' ? 'blocked' : 'possible';
}

const WORKER_PATH = '/service-worker.js';

/** Asks the browser for permission; false if the owner refuses. */
export async function turnOnPush(publicKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  await navigator.serviceWorker.register(WORKER_PATH);
  const { pushManager } = await navigator.serviceWorker.ready;
  // A subscription belongs to the key that it was made with.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  await addDevice(subscription, false);
  return true;
}

/** After a new sign-in: a device that the daemon knows belongs to the new session from now on. */
export async function renewPush(): Promise<void> {
  if (pushSupport() !== 'possible') return;
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  if (subscription) await addDevice(subscription, true);
}

async function addDevice(subscription: PushSubscription, renew: boolean): Promise<void> {
  const { endpoint, keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  await relay.post('/api/notifications/devices', {
    body: {
      endpoint: endpoint ?? '',
      keys: { p256dh, auth },
      name: deviceName(navigator.userAgent),
      locale: document.documentElement.lang,
      renew,
    },
  });
}

const BROWSERS = [
  ['Edge', /Edg/],
  ['Firefox', /Firefox|FxiOS/],
  ['Chrome', /Chrom|CriOS/],
  ['Safari', /Safari/],
] as const;
const SYSTEMS = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['Mac', /Mac OS/],
  ['Linux', /Linux/],
] as const;

/** Such as `Chrome, Android`. */
function deviceName(agent: string): string {
  const nameIn = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, mark]) => mark.test(agent))?.[0];
  return [nameIn(BROWSERS), nameIn(SYSTEMS)].filter(Boolean).join(', ') || 'Browser';
}
