// How the console shows each state of the connection: word, hue, icon and sentence. The states come from the contract
// package, so a new one does not compile until it is here.
import type { LinkBody } from '@relay/contract/api/whatsapp';
import type { ConnectionState, WhatsAppStatus } from '@relay/contract/connection/states';
import {
  IconAlertTriangle,
  IconArrowsExchange,
  IconBan,
  IconCircleCheck,
  IconClockPause,
  IconCloudOff,
  IconDeviceMobile,
  IconDeviceMobileOff,
  IconDownload,
  IconFingerprint,
  IconHourglassOff,
  IconKey,
  IconLinkOff,
  IconPlugConnectedX,
  IconQrcode,
  IconRefresh,
  IconWifiOff,
  type TablerIcon,
} from '@tabler/icons-react';
import { t } from '../i18n.ts';
import type { Hue } from '../theme/theme.ts';
import { formatAgo, formatMoment, formatSpan } from './format.ts';

interface ConnectionLook {
  readonly hue: Hue;
  readonly icon: TablerIcon;
}

const CONNECTION_LOOKS: Readonly<Record<ConnectionState, ConnectionLook>> = {
  disconnected: { hue: 'parked', icon: IconPlugConnectedX },
  connecting: { hue: 'agent', icon: IconRefresh },
  qr_ready: { hue: 'you', icon: IconQrcode },
  pairing_code_ready: { hue: 'you', icon: IconKey },
  link_expired: { hue: 'parked', icon: IconHourglassOff },
  scanned: { hue: 'agent', icon: IconDeviceMobile },
  passkey_requested: { hue: 'you', icon: IconFingerprint },
  passkey_sent: { hue: 'agent', icon: IconFingerprint },
  passkey_required: { hue: 'you', icon: IconFingerprint },
  passkey_refused: { hue: 'bad', icon: IconFingerprint },
  passkey_failed: { hue: 'bad', icon: IconFingerprint },
  restarting: { hue: 'agent', icon: IconRefresh },
  syncing: { hue: 'agent', icon: IconDownload },
  connected: { hue: 'ok', icon: IconCircleCheck },
  time_locked: { hue: 'held', icon: IconClockPause },
  phone_offline: { hue: 'you', icon: IconDeviceMobileOff },
  reconnecting: { hue: 'agent', icon: IconWifiOff },
  unreachable: { hue: 'held', icon: IconCloudOff },
  logged_out: { hue: 'you', icon: IconLinkOff },
  replaced: { hue: 'you', icon: IconArrowsExchange },
  banned: { hue: 'bad', icon: IconBan },
  client_outdated: { hue: 'bad', icon: IconAlertTriangle },
  device_mismatch: { hue: 'bad', icon: IconBan },
  session_refused: { hue: 'bad', icon: IconAlertTriangle },
  credentials_unreadable: { hue: 'bad', icon: IconAlertTriangle },
  taken_over: { hue: 'you', icon: IconArrowsExchange },
  closed_unexplained: { hue: 'held', icon: IconCloudOff },
};

export interface ConnectionDisplay extends ConnectionLook {
  readonly word: string;
  readonly sentence: string;
}

export const connectionDisplay = (link: LinkBody, now: number): ConnectionDisplay => ({
  ...CONNECTION_LOOKS[link.state],
  word: t(`common.connection.${link.state}.label`),
  sentence: detailedText(link, now) ?? t(`common.connection.${link.state}.text`),
});

/** The text of a state with what is known beyond it; undefined if nothing is. */
function detailedText(link: LinkBody, now: number): string | undefined {
  const { state, phone, replaying, health, timeLockedUntil, retryAt } = link;
  if (state === 'disconnected' && phone !== null) return t('common.connection.disconnected.linked');
  if (state === 'syncing' && replaying !== null && replaying > 0)
    return t('common.connection.syncing.count', { count: replaying });
  if (state === 'connected' && health.lastStanzaAt !== null) {
    const time = formatAgo(health.lastStanzaAt, now);
    return t('common.connection.connected.lastActivity', { time });
  }
  if (state === 'time_locked' && timeLockedUntil !== null) {
    const time = formatMoment(timeLockedUntil, now);
    return t('common.connection.time_locked.until', { time });
  }
  if (state === 'reconnecting' && retryAt !== null && Date.parse(retryAt) > now) {
    const time = formatSpan(Date.parse(retryAt) - now);
    return t('common.connection.reconnecting.nextTry', { time });
  }
  return undefined;
}

/** The daemon does not answer, so the state of the connection is unknown. */
export const daemonGoneDisplay = (): ConnectionDisplay => ({
  word: t('common.connection.gone.label'),
  hue: 'bad',
  icon: IconCloudOff,
  sentence: t('common.connection.gone.text'),
});

/** From one of seed 000's four states, while nothing more is known. */
export const statusDisplay = (status: WhatsAppStatus, now: number): ConnectionDisplay =>
  connectionDisplay({ ...EMPTY_LINK, state: status, status }, now);

/** The state is unknown: as in seed 000 the page behaves as if disconnected, but does not claim it. */
export const unknownConnectionDisplay = (): ConnectionDisplay => ({
  word: t('common.connection.unknown.label'),
  hue: 'bad',
  icon: IconAlertTriangle,
  sentence: t('common.connection.unknown.text'),
});

const EMPTY_LINK: Omit<LinkBody, 'state' | 'status'> = {
  sentence: '',
  since: '',
  phone: null,
  name: null,
  qr: null,
  qrExpiresAt: null,
  pairingCode: null,
  passkey: null,
  retryAt: null,
  replaying: null,
  timeLockedUntil: null,
  fault: null,
  health: {
    lastStanzaAt: null,
    pingMs: null,
    flaps: 0,
    received: 0,
    undecryptable: 0,
    restarts: 0,
  },
};
