// Access from a phone: the address that the owner's proxy serves, the pairing of devices, and their passkeys. A device is
// paired with a code that the owner shows on this machine; from then on its passkey signs in, and nothing else does.
import { createHash, randomBytes } from 'node:crypto';
import type {
  Assertion,
  PairedDevice,
  PairingAttempt,
  Registration,
  RemoteService,
  RemoteSite,
} from '@relay/contract/api/remote';
import { RelayError } from '@relay/contract/errors';
import { deviceId } from '@relay/contract/ids';
import { isRemoteHost } from '@relay/contract/settings';
import type { Log } from '@relay/core/log';
import { type LeasedDb, transaction } from '../../platform/db/transaction.ts';
import { type Challenges, createChallenges } from './challenges.ts';
import {
  claimPairingCode,
  deleteDevice,
  deleteDeviceSessions,
  deletePairingCodes,
  findPasskey,
  insertDevice,
  insertPairingCode,
  listDevices,
  noteDeviceUse,
  type Passkey,
  usePairingCode,
} from './sql.ts';

export const PAIRING_MS = 5 * 60_000;
const MAX_DEVICES = 20;
const CEREMONY_MS = 60_000;
/** ES256, EdDSA and RS256. The library’s own list has one that is still experimental in Node. */
const ALGORITHMS = [-7, -8, -257];

interface DeviceDeps extends LeasedDb {
  readonly log: Log;
  now(): Date;
  /** The setting `http.allowed_hosts` of the running daemon. */
  hosts(): readonly string[];
  /** Stores the setting and applies it at once. */
  saveHosts(hosts: readonly string[]): Promise<void>;
}

export function createRemoteService(deps: DeviceDeps): RemoteService {
  const { db, log, now, hosts } = deps;
  const { account } = deps.lease;
  const challenges = createChallenges(now);
  const saveHosts = async (saved: readonly string[]) => {
    await deps.saveHosts(saved);
    await transaction(deps, async ({ tx }) => {
      await deleteDeviceSessions(tx, account);
      await deletePairingCodes(tx, account);
    });
  };
  return {
    hosts,
    devices: () => listDevices(db, account),
    async enable(origin) {
      const host = parseRemoteOrigin(origin);
      if (hosts()[0] === host) return;
      await saveHosts([host]);
      log.info('remote access on');
    },
    async disable() {
      await saveHosts([]);
      log.info('remote access off');
    },
    async pair() {
      const [host] = hosts();
      if (host === undefined) throw new RelayError('remote_off');
      await refuseTooMany(await listDevices(db, account));
      const code = randomBytes(32).toString('base64url');
      const expiresAt = new Date(now().getTime() + PAIRING_MS);
      await transaction(deps, ({ tx }) =>
        insertPairingCode(tx, account, { hash: hashOf(code), expiresAt }),
      );
      // After the #, a code reaches neither the log of the proxy nor the address that a page passes on.
      return { url: `https://${host}/#pair=${code}`, expiresAt };
    },
    endPairings: () => transaction(deps, ({ tx }) => deletePairingCodes(tx, account)),

    async registrationOptions(attempt, site) {
      const claimed = await transaction(deps, ({ tx }) =>
        claimPairingCode(tx, account, codeUse(attempt, now())),
      );
      if (!claimed) throw new RelayError('pairing_code_invalid');
      const { generateRegistrationOptions } = await import('@simplewebauthn/server');
      const options = await generateRegistrationOptions({
        rpName: 'Relay',
        rpID: rpIdOf(site),
        userName: `Relay at ${site.host}`,
        challenge: challenges.issue(pairingPurpose(attempt, site)),
        timeout: CEREMONY_MS,
        supportedAlgorithmIDs: ALGORITHMS,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return { ...options };
    },
    async register(registration, site) {
      const passkey = await verifyRegistration(challenges, registration, site);
      if (passkey === null) {
        log.warn('passkey refused', { reason: 'registration' });
        throw new RelayError('passkey_refused');
      }
      const at = now();
      const { synced } = passkey;
      const device = await transaction(deps, async ({ tx }): Promise<PairedDevice> => {
        if (!(await usePairingCode(tx, account, codeUse(registration, at)))) {
          throw new RelayError('pairing_code_invalid');
        }
        const all = await listDevices(tx, account);
        await refuseTooMany(all);
        const name = freeName(registration.name.trim(), all);
        const id = await insertDevice(tx, account, { ...passkey, name, at });
        const used = at.toISOString();
        return { id, name, host: site.host, synced, created_at: used, last_used_at: used };
      });
      log.info('device paired', { count: (await listDevices(db, account)).length });
      return device;
    },

    async signInOptions(site) {
      const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
      const options = await generateAuthenticationOptions({
        rpID: rpIdOf(site),
        challenge: challenges.issue(signInPurpose(site)),
        timeout: CEREMONY_MS,
        userVerification: 'required',
      });
      return { ...options };
    },
    async signIn(assertion, site) {
      const passkey = await findPasskey(db, account, Buffer.from(assertion.id, 'base64url'));
      if (passkey === null || passkey.host !== site.host) {
        log.warn('passkey refused', { reason: 'unknown' });
        return null;
      }
      const verified = await verifyAssertion(challenges, { assertion, site, passkey });
      if (typeof verified === 'string') {
        log.warn('passkey refused', { reason: verified });
        return null;
      }
      const use = { device: passkey.device, counter: verified.counter, at: now() };
      // Two requests with the same assertion: the one that spends its challenge is signed in.
      if (!challenges.spend(verified.challenge)) return null;
      const isNewest = await transaction(deps, ({ tx }) => noteDeviceUse(tx, account, use));
      if (!isNewest) log.warn('passkey refused', { reason: 'counter' });
      return isNewest ? passkey.device : null;
    },
    async remove(nameOrId) {
      const all = await listDevices(db, account);
      const found = all.find(({ id, name }) => id === nameOrId || name === nameOrId);
      if (found === undefined) throw new RelayError('device_not_found', { device: nameOrId });
      await transaction(deps, ({ tx }) => deleteDevice(tx, account, deviceId(found.id)));
      log.info('device removed', { count: all.length - 1 });
      return found;
    },
  };
}

/** The host of `https://relay.example.org`. */
export function parseRemoteOrigin(origin: string): string {
  const refuse = (why: string) => new RelayError('remote_origin_invalid', { origin, why });
  const url = URL.canParse(origin.trim()) ? new URL(origin.trim()) : null;
  if (url === null) throw refuse('it is not an address');
  if (url.protocol !== 'https:') throw refuse('it does not begin with https://');
  if (url.href !== `${url.origin}/`) throw refuse('it has more than a host');
  if (!isRemoteHost(url.host)) throw refuse('passkeys need a host name with a dot, not this one');
  return url.host;
}

function refuseTooMany(devices: readonly PairedDevice[]): void {
  if (devices.length >= MAX_DEVICES)
    throw new RelayError('devices_too_many', { most: MAX_DEVICES });
}

function freeName(name: string, devices: readonly PairedDevice[]): string {
  const taken = new Set(devices.map((device) => device.name));
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name} ${n}`;
    if (!taken.has(candidate)) return candidate;
  }
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

const codeUse = ({ code, attempt }: PairingAttempt, at: Date) => ({
  hash: hashOf(code),
  attempt: hashOf(attempt),
  at,
});

/** A passkey belongs to a name, whatever the port. */
const rpIdOf = ({ origin }: RemoteSite): string => new URL(origin).hostname;

const signInPurpose = ({ origin }: RemoteSite): string => `sign-in ${origin}`;
const pairingPurpose = ({ code, attempt }: PairingAttempt, { origin }: RemoteSite): string =>
  `pairing ${origin} ${hashOf(code).toString('hex')} ${hashOf(attempt).toString('hex')}`;

// Verification by @simplewebauthn/server, which throws for whatever is wrong; its messages quote the response, so they
// are not logged.

async function verifyRegistration(
  challenges: Challenges,
  registration: Registration,
  site: RemoteSite,
): Promise<(Omit<Passkey, 'device' | 'name'> & { readonly synced: boolean }) | null> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { credential } = registration;
  const verified = await verifyRegistrationResponse({
    response: { ...credential, clientExtensionResults: {} },
    expectedChallenge: (challenge) =>
      challenges.isValid(challenge, pairingPurpose(registration, site)),
    expectedOrigin: site.origin,
    expectedRPID: rpIdOf(site),
    supportedAlgorithmIDs: ALGORITHMS,
    requireUserVerification: true,
  }).catch(() => null);
  if (verified?.verified !== true) return null;
  const { credential: made, credentialBackedUp } = verified.registrationInfo;
  return {
    host: site.host,
    credentialId: Buffer.from(made.id, 'base64url'),
    publicKey: Buffer.from(made.publicKey),
    counter: made.counter,
    synced: credentialBackedUp,
  };
}

interface SignInAttempt {
  readonly assertion: Assertion;
  readonly site: RemoteSite;
  readonly passkey: Passkey;
}

/** The counter and the challenge that were signed, or why the assertion is refused. */
async function verifyAssertion(
  challenges: Challenges,
  { assertion, site, passkey }: SignInAttempt,
): Promise<{ readonly counter: number; readonly challenge: string } | 'assertion' | 'counter'> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  let signed = '';
  const verified = await verifyAuthenticationResponse({
    response: { ...assertion, clientExtensionResults: {} },
    expectedChallenge(challenge) {
      signed = challenge;
      return challenges.isValid(challenge, signInPurpose(site));
    },
    expectedOrigin: site.origin,
    expectedRPID: rpIdOf(site),
    requireUserVerification: true,
    credential: {
      id: assertion.id,
      publicKey: Uint8Array.from(passkey.publicKey),
      // Compared below, after the signature: a copy of a passkey is worth another line in the log than a wrong signature.
      counter: 0,
    },
  }).catch(() => null);
  if (verified?.verified !== true) return 'assertion';
  const { newCounter } = verified.authenticationInfo;
  const counts = newCounter > 0 || passkey.counter > 0;
  if (counts && newCounter <= passkey.counter) return 'counter';
  return { counter: newCounter, challenge: signed };
}
