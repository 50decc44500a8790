// A sign-in store in memory: codes, sessions and the token of a forwarder.

import type { SignInStore } from '@relay/contract/api/credentials';
import type { ForwarderTokens } from '@relay/contract/api/ingest';
import { AT } from './at.ts';

export function memorySignIn(): SignInStore {
  const codes = new Map<string, Date>();
  const sessions = new Map<string, { readonly expiresAt: Date; readonly since: Date }>();
  return {
    async addCode(hash, expiresAt) {
      codes.set(hash, expiresAt);
    },
    async spendCode(hash, now) {
      const expiresAt = codes.get(hash);
      codes.delete(hash);
      return expiresAt !== undefined && now < expiresAt;
    },
    async addSession(hash, expiresAt) {
      sessions.set(hash, { expiresAt, since: new Date() });
    },
    async hasSession(hash, now) {
      const session = sessions.get(hash);
      return session !== undefined && now < session.expiresAt;
    },
    isSessionSince: async (hash, since) => {
      const session = sessions.get(hash);
      return session !== undefined && session.since >= since;
    },
    async endSession(hash) {
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
