// Fixtures for notifications.
import type { NotificationService, PushDevice } from '@relay/contract/api/notifications';
import { AT } from './at.ts';
import type { Recorded } from './recorded.ts';

const device: PushDevice = {
  id: '7f0d7c43-1f0f-4f0e-9c4e-2f1f0b8a7c77',
  name: 'Pixel',
  current: true,
  signed_in: true,
  created_at: AT,
  last_delivered_at: null,
  failing_since: null,
};

export const notificationStandIns = (recorded: Recorded): NotificationService => ({
  overview: recorded('getNotifications', async () => ({
    public_key: 'BPublicKey',
    show_text: false,
    own_chat: true,
    devices: [device],
    ntfy: { url: null, has_token: false },
    webhook: { url: null, has_token: false },
    deliveries: [],
  })),
  addDevice: recorded('addPushDevice', async () => device),
  removeDevice: recorded('removePushDevice', async () => {}),
  setChannel: recorded('setNotificationChannel', async () => ({ url: null, has_token: false })),
  test: recorded('testNotifications', async () => ({
    results: [{ channel: 'push' as const, device: 'Pixel', ok: true, sentence: null }],
  })),
});
