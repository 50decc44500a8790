// Requirements of access from a phone. SECURITY.md names the test behind each claim.
export const REMOTE = {
  'REMOTE-ARRIVAL':
    'The address for phones is answered only for its exact Host and Origin, over TLS at a proxy on this machine; what hides or forges that is refused.',
  'REMOTE-COOKIE':
    'The session of a device is a __Host- cookie, Secure, HttpOnly and SameSite=Strict, and good at the address for phones alone.',
  'REMOTE-DEVICES':
    'The owner lists devices and removes them; a removed device is signed out at once and its passkey is refused.',
  'REMOTE-FRAMES': 'No page of Relay is shown in a frame of another page.',
  'REMOTE-FRESH':
    'A device needs its passkey of the last five minutes for whatever widens; using it ends the session before.',
  'REMOTE-GUESSES': 'Wrong pairing codes and passkeys are limited, and right ones still accepted.',
  'REMOTE-IDLE':
    'The session of a device ends after 30 minutes without a request, and after 12 hours.',
  'REMOTE-OFF': 'Without an address for phones, no Host but this machine’s own is answered.',
  'REMOTE-PAIRING':
    'A pairing code pairs one device, the first that opens it, within five minutes; only its hash is stored.',
  'REMOTE-PASSKEY':
    'A passkey is accepted for its own site with user verification, each challenge once, and only while its counter rises.',
  'REMOTE-PASSKEY-ONLY': 'At the address for phones no token and no login code is accepted.',
  'REMOTE-PHONE':
    'A phone pairs by the QR code through a TLS proxy, approves what waits, and is signed out when it is removed.',
  'REMOTE-SIGN-OUT': 'Signing out everywhere ends the sessions and streams of devices too.',
} as const;
