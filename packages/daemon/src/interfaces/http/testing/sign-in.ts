// A sign-in store in memory: codes, sessions and the token of a forwarder.

import type { SignedInOwner, SignInStore } from '@relay/contract/api/credentials';
import type { ForwarderTokens } from '@relay/contract/api/ingest';
import { type DeviceId, HOME_OWNER } from '@relay/contract/ids';
import { AT } from './at.ts';

interface MemorySession {
  readonly expiresAt: Date;
  readonly since: Date;
  readonly device: DeviceId | null;
  usedAt: Date;
}

const HOME: SignedInOwner = { id: HOME_OWNER, role: 'owner' };

export function memorySignIn(): SignInStore {
  const codes = new Map<string, Date>();
  const sessions = new Map<string, MemorySession>();
  return {
    async addCode(hash, expiresAt) {
      codes.set(hash, expiresAt);
    },
    async spendCode(hash, now) {
      const expiresAt = codes.get(hash);
      codes.delete(hash);
      return expiresAt !== undefined && now < expiresAt ? HOME_OWNER : null;
    },
    async addSession(hash, expiresAt, _owner, device) {
      const now = new Date();
      sessions.set(hash, { expiresAt, since: now, device: device ?? null, usedAt: now });
    },
    async findSession(hash, now) {
      const session = sessions.get(hash);
      return session?.device === null && now < session.expiresAt ? HOME : null;
    },
    async findDeviceSession(hash, now, idleSince) {
      const session = sessions.get(hash);
      if (session === undefined || session.device === null) return null;
      return now < session.expiresAt && session.usedAt > idleSince ? HOME : null;
    },
    async noteDeviceSessionUse(hash, now) {
      const session = sessions.get(hash);
      if (session !== undefined) session.usedAt = now;
    },
    isSessionSince: async (hash, since) => {
      const session = sessions.get(hash);
      return session !== undefined && session.since >= since;
    },
    async endSession(hash) {
      sessions.delete(hash);
    },
    async signOut(hash) {
      sessions.delete(hash);
    },
    async endAll() {
      codes.clear();
      sessions.clear();
    },
  };
}

export function memoryForwarderTokens(): ForwarderTokens {
  let current: string | null = null;
  return {
    isValid: async (hash) => hash === current,
    async replace(hash) {
      current = hash;
    },
    async revoke() {
      const had = current !== null;
      current = null;
      return had;
    },
    state: async () => ({
      exists: current !== null,
      created_at: current === null ? null : AT,
      last_used_at: null,
    }),
  };
}
