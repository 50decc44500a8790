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
    sentence: 'Not connected to WhatsApp. Link your account with `relay init`.',
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
      'The code was not used in time, so linking has stopped. Connect again for a new code when you have your phone with you.',
  },
  scanned: { status: 'connecting', sentence: 'Scanned. Waiting for your phone to confirm.' },
  // Linking with WhatsApp's passkey. Not the passkey with which a phone signs in to Relay.
  passkey_requested: {
    status: 'connecting',
    sentence:
      'WhatsApp asks for your WhatsApp passkey. Confirm it in a WhatsApp Web tab within 5 minutes: open WhatsApp in the console with `relay open`, or continue in `relay init`.',
  },
  passkey_sent: {
    status: 'connecting',
    sentence: 'Passkey sent. Waiting for WhatsApp and your phone.',
  },
  passkey_required: {
    status: 'disconnected',
    sentence:
      'WhatsApp asked for your WhatsApp passkey and did not get it in time. Nothing was linked. Link again with `relay init` when you have your passkey at hand.',
  },
  passkey_refused: {
    status: 'disconnected',
    sentence:
      'WhatsApp refused the passkey, so linking has stopped and nothing was linked. Link again with `relay init`, and confirm with the passkey of the account whose phone you use.',
  },
  passkey_failed: {
    status: 'disconnected',
    sentence:
      'After the passkey, WhatsApp sent something unexpected or nothing, so linking has stopped. Check Linked devices on your phone and upgrade Relay before you link again.',
  },
  restarting: {
    status: 'connecting',
    sentence: 'Linked. Relay is reconnecting once, as WhatsApp requires.',
  },

  // Linked and up
  syncing: {
    status: 'connected',
    sentence: 'Connected. Relay is still receiving recent messages.',
  },
  connected: { status: 'connected', sentence: 'Connected to WhatsApp.' },
  time_locked: {
    status: 'connected',
    sentence:
      'Connected, but WhatsApp currently blocks this account from writing to new people. First messages wait; known contacts are not affected.',
  },
  phone_offline: {
    status: 'connected',
    sentence:
      'Connected, but your phone has been offline for a long time. Bring it online, or WhatsApp will unlink this device.',
  },

  // Linked and down, reconnecting automatically
  reconnecting: {
    status: 'connecting',
    sentence: 'The connection was lost. Relay is reconnecting. No messages are lost.',
  },
  unreachable: {
    status: 'disconnected',
    sentence:
      'WhatsApp could not be reached in several attempts. Relay keeps trying. Check the network of this machine.',
  },

  // Stopped until a person acts
  logged_out: {
    status: 'disconnected',
    sentence: 'WhatsApp unlinked this device. Link it again with `relay init`; your data is kept.',
  },
  replaced: {
    status: 'disconnected',
    sentence:
      'Another program uses this link, so Relay has disconnected. Stop that program, then connect again.',
  },
  banned: {
    status: 'disconnected',
    sentence:
      'WhatsApp refused this account. Open WhatsApp on your phone to see the reason and to request a review.',
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
      'WhatsApp keeps rejecting the saved session. Nothing was deleted. Connect again later, or link again with `relay init`.',
  },
  credentials_unreadable: {
    status: 'disconnected',
    sentence:
      'The saved WhatsApp session cannot be read: it is damaged, or it was encrypted with another key. Nothing was deleted. Restore the home or its key, or unlink with `relay whatsapp disconnect --clear-session` and link again.',
  },
  taken_over: {
    status: 'disconnected',
    sentence:
      'Another Relay daemon took over this account, so this one has disconnected. Run only one of them.',
  },
  closed_unexplained: {
    status: 'disconnected',
    sentence:
      'WhatsApp keeps closing the connection with an unknown code. See the code with `relay logs`, and connect again later.',
  },
} as const satisfies Record<string, ConnectionSpec>;

export type ConnectionState = keyof typeof CONNECTION_STATES;

/** Seed 000's name for a state. */
export const whatsappStatusOf = (state: ConnectionState): WhatsAppStatus =>
  CONNECTION_STATES[state].status;

export const connectionSentence = (state: ConnectionState): string =>
  CONNECTION_STATES[state].sentence;

// Why WhatsApp could not be reached, as far as this machine can tell. Every cause has a sentence and a next step. The
// names are part of the API.

export const CONNECTION_FAULTS = {
  dns: {
    sentence: 'The name web.whatsapp.com could not be resolved.',
    action: 'Check the internet connection and the DNS server of this machine.',
  },
  refused: {
    sentence: 'The connection to WhatsApp was refused.',
    action: 'Allow outgoing connections to web.whatsapp.com, port 443, in the firewall.',
  },
  network: {
    sentence: 'This machine has no network route to WhatsApp.',
    action: 'Check its network connection.',
  },
  timeout: {
    sentence: 'WhatsApp did not answer in time.',
    action: 'Check the internet connection, and that no firewall drops port 443.',
  },
  cut: {
    sentence: 'The connection to WhatsApp was cut before it was established.',
    action: 'Check the internet connection, and whether this network blocks WhatsApp.',
  },
  tls: {
    sentence: 'The encrypted connection to WhatsApp failed: its certificate is not trusted.',
    action:
      'If a virus scanner or a company network inspects traffic, exempt web.whatsapp.com from it.',
  },
  clock: {
    sentence: 'WhatsApp’s certificate is not valid at the time that this machine shows.',
    action: 'Set the clock, such as with `timedatectl set-ntp true` on Linux.',
  },
  proxy: {
    sentence:
      'Something other than WhatsApp answered, such as a proxy or the sign-in page of a network.',
    action:
      'Sign in to the network, allow direct connections to web.whatsapp.com, port 443, or set a proxy for the account.',
  },
} as const;

export type ConnectionFault = keyof typeof CONNECTION_FAULTS;

/** The fault behind an error of the network; null if it says nothing about the cause. */
export function connectionFaultOf(code: string | null, message = ''): ConnectionFault | null {
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'dns';
    case 'ECONNREFUSED':
    case 'EACCES':
    case 'EPERM':
      return 'refused';
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return 'network';
    case 'ETIMEDOUT':
      return 'timeout';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'cut';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return 'clock';
    default:
      if (code !== null && /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/.test(code)) return 'tls';
      return /timed out/i.test(message) ? 'timeout' : null;
  }
}
