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
import type { Hue } from '../theme/theme.ts';
import { formatAgo, formatMoment, formatSpan, groupDigits } from './format.ts';

interface ConnectionCopy {
  readonly word: string;
  readonly hue: Hue;
  readonly icon: TablerIcon;
  readonly sentence: string | ((link: LinkBody, now: number) => string);
}

const CONNECTION_COPY: Readonly<Record<ConnectionState, ConnectionCopy>> = {
  disconnected: {
    word: 'Not linked',
    hue: 'parked',
    icon: IconPlugConnectedX,
    sentence: ({ phone }) =>
      phone === null
        ? 'Relay is not linked. Link your phone to begin.'
        : 'Relay is linked and not connected. Connect to go on.',
  },
  connecting: {
    word: 'Connecting',
    hue: 'agent',
    icon: IconRefresh,
    sentence: 'Reaching WhatsApp. This takes a few seconds.',
  },
  qr_ready: {
    word: 'Scan to link',
    hue: 'you',
    icon: IconQrcode,
    sentence: 'A code is ready. Scan it with your phone; a fresh one follows by itself.',
  },
  pairing_code_ready: {
    word: 'Type the code',
    hue: 'you',
    icon: IconKey,
    sentence: 'A code is ready. Type it on your phone.',
  },
  link_expired: {
    word: 'Code expired',
    hue: 'parked',
    icon: IconHourglassOff,
    sentence: 'Nobody used the code in time. Link again when your phone is at hand.',
  },
  scanned: {
    word: 'Phone confirms',
    hue: 'agent',
    icon: IconDeviceMobile,
    sentence: 'Your phone has the code. Keep WhatsApp open on it.',
  },
  passkey_required: {
    word: 'Passkey needed',
    hue: 'you',
    icon: IconFingerprint,
    sentence:
      'WhatsApp wants a passkey and Relay cannot give it yet. No more codes are made. If your phone offers another way to confirm, use it and link again.',
  },
  restarting: {
    word: 'One restart',
    hue: 'agent',
    icon: IconRefresh,
    sentence: 'WhatsApp asks for one reconnect after linking. Nothing to do.',
  },
  syncing: {
    word: 'Copying chats',
    hue: 'agent',
    icon: IconDownload,
    sentence: ({ replaying }) =>
      replaying === null || replaying === 0
        ? 'Connected. Recent messages are still arriving.'
        : `Connected. ${groupDigits(replaying)} waiting messages are still arriving.`,
  },
  connected: {
    word: 'Connected',
    hue: 'ok',
    icon: IconCircleCheck,
    sentence: ({ health }, now) =>
      health.lastStanzaAt === null
        ? 'Listening.'
        : `Listening. Last heard ${formatAgo(health.lastStanzaAt, now)}.`,
  },
  time_locked: {
    word: 'New people frozen',
    hue: 'held',
    icon: IconClockPause,
    sentence: ({ timeLockedUntil }, now) =>
      timeLockedUntil === null
        ? 'WhatsApp stopped first messages for now. Replies go on.'
        : `WhatsApp stopped first messages until ${formatMoment(timeLockedUntil, now)}. Replies go on.`,
  },
  phone_offline: {
    word: 'Phone offline',
    hue: 'you',
    icon: IconDeviceMobileOff,
    sentence:
      'Connected, but your phone has been offline for long. Bring it online, or WhatsApp will unlink this device.',
  },
  reconnecting: {
    word: 'Reconnecting',
    hue: 'agent',
    icon: IconWifiOff,
    sentence: ({ retryAt }, now) =>
      retryAt === null || Date.parse(retryAt) <= now
        ? 'The line dropped. Trying again; nothing is lost meanwhile.'
        : `The line dropped. Next try in ${formatSpan(Date.parse(retryAt) - now)}, then slower.`,
  },
  unreachable: {
    word: 'Unreachable',
    hue: 'held',
    icon: IconCloudOff,
    sentence:
      'WhatsApp has not been reachable for several attempts. Relay keeps trying; check the network of this machine.',
  },
  logged_out: {
    word: 'Unlinked',
    hue: 'you',
    icon: IconLinkOff,
    sentence: 'Your phone removed this device. Link again; history stays.',
  },
  replaced: {
    word: 'Opened elsewhere',
    hue: 'you',
    icon: IconArrowsExchange,
    sentence: 'Another program took this link. Relay stepped back.',
  },
  banned: {
    word: 'Refused',
    hue: 'bad',
    icon: IconBan,
    sentence:
      'WhatsApp refused this account. Relay will not try again by itself; WhatsApp on your phone says why.',
  },
  client_outdated: {
    word: 'Too old',
    hue: 'bad',
    icon: IconAlertTriangle,
    sentence: 'WhatsApp no longer accepts this version of Relay. Upgrade it, then connect again.',
  },
  device_mismatch: {
    word: 'Refused',
    hue: 'bad',
    icon: IconBan,
    sentence:
      'WhatsApp does not accept this account as a linked device. Update WhatsApp on your phone, then link again.',
  },
  session_refused: {
    word: 'Session refused',
    hue: 'bad',
    icon: IconAlertTriangle,
    sentence:
      'WhatsApp keeps failing on the saved session. Nothing was deleted; connect later, or link again.',
  },
  credentials_unreadable: {
    word: 'Keys unreadable',
    hue: 'bad',
    icon: IconAlertTriangle,
    sentence:
      'The saved keys cannot be read. Nothing was wiped. Bring back this home’s key, or clear the session and link again.',
  },
  taken_over: {
    word: 'Another Relay',
    hue: 'you',
    icon: IconArrowsExchange,
    sentence: 'Another Relay took over this account, so this one let go of it. Run only one.',
  },
  closed_unexplained: {
    word: 'Closed',
    hue: 'held',
    icon: IconCloudOff,
    sentence:
      'WhatsApp keeps closing the connection with a code Relay does not know. Connect again later.',
  },
};

export interface ConnectionDisplay {
  readonly word: string;
  readonly hue: Hue;
  readonly icon: TablerIcon;
  readonly sentence: string;
}

export function connectionDisplay(link: LinkBody, now: number): ConnectionDisplay {
  const { sentence, ...rest } = CONNECTION_COPY[link.state];
  return { ...rest, sentence: typeof sentence === 'string' ? sentence : sentence(link, now) };
}

/** The daemon does not answer, so the state of the connection is unknown. */
export const DAEMON_GONE = {
  word: 'No answer',
  hue: 'bad',
  icon: IconCloudOff,
  sentence: 'Relay is not answering.',
} as const satisfies ConnectionDisplay;

/** From one of seed 000's four states, while nothing more is known. */
export const statusDisplay = (status: WhatsAppStatus, now: number): ConnectionDisplay =>
  connectionDisplay({ ...EMPTY_LINK, state: status, status }, now);

/** The state is unknown: as in seed 000 the page behaves as if disconnected, but does not claim it. */
export const CONNECTION_UNKNOWN: ConnectionDisplay = {
  word: 'Not known',
  hue: 'bad',
  icon: IconAlertTriangle,
  sentence:
    'Relay could not say whether it is linked. Where it is, connecting again changes nothing.',
};

const EMPTY_LINK: Omit<LinkBody, 'state' | 'status'> = {
  sentence: '',
  since: '',
  phone: null,
  name: null,
  qr: null,
  qrExpiresAt: null,
  pairingCode: null,
  retryAt: null,
  replaying: null,
  timeLockedUntil: null,
  health: {
    lastStanzaAt: null,
    pingMs: null,
    flaps: 0,
    received: 0,
    undecryptable: 0,
    restarts: 0,
  },
};
