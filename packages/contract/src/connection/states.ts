// The states of the link to WhatsApp. The transport sets one of these. CLI, web and logs print its sentence, and the
// API's four public states come from the same row, so they cannot disagree. The names are persisted and part of the
// API: never rename one.

export const WHATSAPP_STATUSES = ['disconnected', 'connecting', 'qr_ready', 'connected'] as const;
export type WhatsAppStatus = (typeof WHATSAPP_STATUSES)[number];

interface ConnectionSpec {
  readonly status: WhatsAppStatus;
  readonly sentence: string;
}

export const CONNECTION_STATES = {
  // Linking
  disconnected: {
    status: 'disconnected',
    sentence: 'Not connected to WhatsApp. `relay init` links your account.',
  },
  connecting: { status: 'connecting', sentence: 'Connecting to WhatsApp.' },
  qr_ready: {
    status: 'qr_ready',
    sentence:
      'A QR code is ready. On your phone: WhatsApp, Settings, Linked devices, Link a device.',
  },
  pairing_code_ready: {
    status: 'connecting',
    sentence:
      'A pairing code is ready. On your phone: WhatsApp, Settings, Linked devices, Link with phone number.',
  },
  link_expired: {
    status: 'disconnected',
    sentence:
      'Nobody used the code in time, so linking was stopped. Connect again for a new one when your phone is at hand.',
  },
  scanned: { status: 'connecting', sentence: 'Scanned. Waiting for your phone to confirm.' },
  passkey_required: {
    status: 'disconnected',
    sentence:
      'WhatsApp asks for a passkey, which Relay cannot give yet, so linking was stopped: a new QR code would not help. If your phone offers another way to confirm, use it and run `relay init` again.',
  },
  restarting: {
    status: 'connecting',
    sentence: 'Linked. WhatsApp asked for a new connection, which is being made.',
  },

  // Linked and up
  syncing: {
    status: 'connected',
    sentence: 'Connected. Recent messages are still arriving from your phone.',
  },
  connected: { status: 'connected', sentence: 'Connected to WhatsApp.' },
  time_locked: {
    status: 'connected',
    sentence:
      'Connected, but WhatsApp does not let this account write to new people for now. Known contacts are served as usual; first contacts wait.',
  },
  phone_offline: {
    status: 'connected',
    sentence:
      'Connected, but your phone has been offline for long. Bring it online, or WhatsApp will unlink this device.',
  },

  // Linked and down, reconnecting automatically
  reconnecting: {
    status: 'connecting',
    sentence: 'The connection was lost. Relay is reconnecting; nothing is lost meanwhile.',
  },
  unreachable: {
    status: 'disconnected',
    sentence:
      'WhatsApp has not been reachable for several attempts. Relay keeps trying; check the network of this machine.',
  },

  // Stopped until a person acts
  logged_out: {
    status: 'disconnected',
    sentence: 'WhatsApp unlinked this device. `relay init` links it again; your data is kept.',
  },
  replaced: {
    status: 'disconnected',
    sentence:
      'Another program took over this link. Stop it, then connect again; Relay will not fight over it.',
  },
  banned: {
    status: 'disconnected',
    sentence:
      'WhatsApp refuses this account. Open WhatsApp on your phone to see why and to ask for a review.',
  },
  client_outdated: {
    status: 'disconnected',
    sentence:
      'WhatsApp no longer accepts this version of Relay. Upgrade Relay, then connect again.',
  },
  device_mismatch: {
    status: 'disconnected',
    sentence:
      'WhatsApp does not accept this account as a linked device. Update WhatsApp on your phone, then link again.',
  },
  session_refused: {
    status: 'disconnected',
    sentence:
      'WhatsApp keeps failing on the saved session. Nothing was deleted; connect again later, or link again with `relay init`.',
  },
  credentials_unreadable: {
    status: 'disconnected',
    sentence:
      'The saved WhatsApp session cannot be read: it is damaged, or the key of this home is not the one it was sealed with. Nothing was deleted and no new session was made. Bring back the home or its key, or unlink with `relay whatsapp disconnect --clear-session` and link again.',
  },
  taken_over: {
    status: 'disconnected',
    sentence:
      'Another Relay daemon took over this account, so this one let go of it. Run only one of them.',
  },
  closed_unexplained: {
    status: 'disconnected',
    sentence:
      'WhatsApp keeps closing the connection with a code Relay does not know. `relay logs` has it; connect again later.',
  },
} as const satisfies Record<string, ConnectionSpec>;

export type ConnectionState = keyof typeof CONNECTION_STATES;

/** Seed 000's name for a state. */
export const whatsappStatusOf = (state: ConnectionState): WhatsAppStatus =>
  CONNECTION_STATES[state].status;

export const connectionSentence = (state: ConnectionState): string =>
  CONNECTION_STATES[state].sentence;
