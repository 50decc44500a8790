// Schemas and service of access from a phone: the address that the owner's proxy serves, the paired devices, and the
// messages of WebAuthn with which a device is paired and signs in.
import { z } from 'zod';
import type { DeviceId } from '../ids.ts';
import { boundedText } from './common.ts';

export const deviceSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** The host that its passkey belongs to. */
  host: z.string(),
  /** Whether the passkey is stored in an account (iCloud, Google) and so is on all devices of that account. */
  synced: z.boolean(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
});
export type PairedDevice = z.infer<typeof deviceSchema>;

export const remoteStatusSchema = z.object({
  /** The address for phones; null if access from a phone is off. */
  origin: z.string().nullable(),
  /** The port that a proxy on this machine has to forward to. */
  port: z.int(),
  devices: z.array(deviceSchema),
});
export type RemoteStatus = z.infer<typeof remoteStatusSchema>;

export const enableRemoteSchema = z.strictObject({
  /** Such as `https://relay.example.org`. */
  origin: boundedText(300),
});

export const pairingSchema = z.object({
  /** To open on the phone: good once, for five minutes, for the first phone that opens it. */
  url: z.string(),
  /** The same address as a QR code: a PNG in a data URL. */
  qr: z.string(),
  expires_at: z.iso.datetime(),
});

/** What `navigator.credentials` takes. Relay's pages pass it on unread. */
export const passkeyOptionsSchema = z.looseObject({ challenge: z.string() });
export type PasskeyOptions = z.infer<typeof passkeyOptionsSchema>;

const secret = z.string().min(20).max(100);

/** The code of a pairing, and a secret that the phone chose when it opened it: no other phone can use the code then. */
export const pairingAttemptSchema = z.strictObject({ code: secret, attempt: secret });
export type PairingAttempt = z.infer<typeof pairingAttemptSchema>;

const bytes = z
  .string()
  .max(20_000)
  .regex(/^[\w-]+$/, 'Must be base64url');
const credential = z.object({
  id: bytes,
  rawId: bytes,
  type: z.literal('public-key'),
});

/** As `PublicKeyCredential.toJSON` returns it; other fields are ignored. */
export const registrationSchema = pairingAttemptSchema.extend({
  name: boundedText(60),
  credential: credential.extend({
    response: z.object({ clientDataJSON: bytes, attestationObject: bytes }),
  }),
});
export type Registration = z.infer<typeof registrationSchema>;

export const assertionSchema = z.strictObject({
  credential: credential.extend({
    response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
  }),
});
export type Assertion = z.infer<typeof assertionSchema>['credential'];

// The service. Every refusal is a RelayError.

/** The address that a request came to, checked by the guard. */
export interface RemoteSite {
  readonly host: string;
  readonly origin: string;
}

export interface RemoteService {
  /** The hosts that are answered besides this machine; empty while access from a phone is off. */
  hosts(): readonly string[];
  devices(): Promise<readonly PairedDevice[]>;
  /** Stores the address; devices that are signed in at another one are signed out. */
  enable(origin: string): Promise<void>;
  disable(): Promise<void>;
  /** Creates a pairing code and returns the address that contains it. */
  pair(): Promise<{ readonly url: string; readonly expiresAt: Date }>;
  /** Ends unused pairing codes. */
  endPairings(): Promise<void>;
  registrationOptions(attempt: PairingAttempt, site: RemoteSite): Promise<PasskeyOptions>;
  /** Uses up the code and adds the device. */
  register(registration: Registration, site: RemoteSite): Promise<PairedDevice>;
  signInOptions(site: RemoteSite): Promise<PasskeyOptions>;
  /** The device whose passkey signed the challenge; null if it is not accepted. */
  signIn(assertion: Assertion, site: RemoteSite): Promise<DeviceId | null>;
  /** By name or id. Its sessions end with it. */
  remove(nameOrId: string): Promise<PairedDevice>;
}
