// What signing in keeps: one-time login codes and browser sessions, known by their hashes only.
// Invariant: a code is spent at most once, however many ask at the same moment.

export interface SignInStore {
  addCode(hash: string, expiresAt: Date): Promise<void>;
  /** True for exactly one caller, and only before the code expires. */
  spendCode(hash: string, now: Date): Promise<boolean>;
  addSession(hash: string, expiresAt: Date): Promise<void>;
  hasSession(hash: string, now: Date): Promise<boolean>;
  /** Whether it began then or later. */
  isSessionSince(hash: string, since: Date): Promise<boolean>;
  endSession(hash: string): Promise<void>;
  /** Every session and every unspent code: when the owner signs out everywhere, or changes their token. */
  endAll(): Promise<void>;
}
