// `relay notifications`: where the owner is notified, a test, and the addresses of ntfy and a webhook. A browser turns
// them on for itself, in the console.

import type {
  NotificationDelivery,
  NotificationsOverview,
} from '@relay/contract/api/notifications';
import { RelayError } from '@relay/contract/errors';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatClock, toOneLine } from '../format.ts';
import { askUser, canAsk, readPipedLine } from '../prompt.ts';

export const listNotificationsCommand: RunCommand = async ({ config, terminal }) => {
  const overview = await clientOf(config.home).get('/api/notifications');
  if (terminal.json) terminal.writeJson(overview);
  else for (const line of formatNotifications(overview, new Date())) terminal.writeLine(line);
  return 0;
};

export const testNotificationsCommand: RunCommand = async ({ config, terminal }) => {
  const { results } = await clientOf(config.home).post('/api/notifications/test', { body: {} });
  const isFine = results.every(({ ok }) => ok);
  if (terminal.json) {
    terminal.writeJson({ results });
    return isFine ? 0 : 1;
  }
  if (results.length === 0) {
    terminal.progress('No devices. Turn notifications on in the console: Settings, Notifications.');
  }
  for (const { channel, device, ok, sentence } of results) {
    const place = toOneLine(device ?? channel);
    terminal.writeLine(ok ? `${place}: sent.` : `${place}: not sent. ${sentence ?? ''}`.trim());
  }
  return isFine ? 0 : 1;
};

/** With `--token` the token is read from standard input, so that it is in no process list. */
export const setNotificationChannelCommand: RunCommand = async ({
  config,
  terminal,
  args,
  options,
}) => {
  const channel = parseChannel(args[0]);
  const url = args[1];
  if (url === undefined && options.token !== true) {
    throw new RelayError('usage', { what: 'Give an address, or --token to set its token.' });
  }
  const set = await clientOf(config.home).patch('/api/notifications/channels/{channel}', {
    path: { channel },
    body: {
      ...(url === undefined ? {} : { url }),
      ...(options.token === true ? { token: await readToken() } : {}),
    },
  });
  if (terminal.json) terminal.writeJson(set);
  else {
    terminal.writeLine(`Notifications go to ${channel}: ${set.url ?? 'no address yet'}.`);
    terminal.note('Send a test with `relay notifications test`.');
  }
  return 0;
};

export const disableNotificationChannelCommand: RunCommand = async ({ config, terminal, args }) => {
  const channel = parseChannel(args[0]);
  const set = await clientOf(config.home).patch('/api/notifications/channels/{channel}', {
    path: { channel },
    body: { url: null },
  });
  if (terminal.json) terminal.writeJson(set);
  else terminal.writeLine(`No more notifications go to ${channel}.`);
  return 0;
};

export const removeNotificationDeviceCommand: RunCommand = async ({ config, terminal, args }) => {
  const client = clientOf(config.home);
  const { devices } = await client.get('/api/notifications');
  const [given = ''] = args;
  const device = devices.find(({ id, name }) => name === given || id.startsWith(given));
  if (device === undefined) throw new RelayError('push_device_not_found', { device: given });
  await client.delete('/api/notifications/devices/{device}', { path: { device: device.id } });
  if (terminal.json) terminal.writeJson(device);
  else terminal.writeLine(`${toOneLine(device.name)} gets no more notifications.`);
  return 0;
};

function parseChannel(given: string | undefined): 'ntfy' | 'webhook' {
  if (given === 'ntfy' || given === 'webhook') return given;
  throw new RelayError('usage', { what: 'Give ntfy or webhook.' });
}

async function readToken(): Promise<string> {
  const token = canAsk() ? await askUser('Token', { secret: true }) : await readPipedLine();
  if (token === '') throw new RelayError('usage', { what: 'The token is empty.' });
  return token;
}

// Formats notifications. Pure.

function formatNotifications(
  { own_chat, devices, ntfy, webhook, show_text, deliveries }: NotificationsOverview,
  now: Date,
): string[] {
  const channel = ({ url, has_token }: NotificationsOverview['ntfy']): string =>
    url === null ? 'off' : `${toOneLine(url)}${has_token ? ' (with token)' : ''}`;
  return [
    `Your own chat  ${own_chat ? 'on' : 'off'}`,
    ...(devices.length === 0 ? ['Devices        none'] : []),
    ...devices.map(({ name, failing_since: since }) => {
      const state = since === null ? '' : ` (failing since ${formatClock(new Date(since), now)})`;
      return `Device         ${toOneLine(name)}${state}`;
    }),
    `ntfy           ${channel(ntfy)}`,
    `Webhook        ${channel(webhook)}`,
    `Text           ${show_text ? 'names and texts are shown' : 'no names, no texts'}`,
    ...deliveries.map((delivery) => formatDelivery(delivery, now)),
  ];
}

const SHOWN: Readonly<Record<NotificationDelivery['state'], string>> = {
  pending: 'waits to be sent',
  delivered: 'sent',
  dead: 'failed',
  dropped: 'not needed any more',
};

function formatDelivery(
  { created_at, kind, action, channel, device, state, last_error }: NotificationDelivery,
  now: Date,
): string {
  const what = action === 'close' ? `${kind} closed` : kind;
  const error = last_error === null ? '' : ` ${last_error}`;
  const place = toOneLine(device ?? channel);
  return `${formatClock(new Date(created_at), now)}  ${what} → ${place}: ${SHOWN[state]}.${error}`;
}
