// Tells how far a send got: whether anything was encrypted, and for somebody other than ourselves.
// Before its first ciphertext nothing of a message can have left, however the connection ended.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { UserFacingSocketConfig } from '@whiskeysockets/baileys';
import { userOf } from '../addresses.ts';

type MakeRepository = NonNullable<UserFacingSocketConfig['makeSignalRepository']>;

export interface Attempt {
  encrypted: boolean;
  /** The people (or the group) it was encrypted for. */
  readonly recipients: Set<string>;
}

const attempts = new AsyncLocalStorage<Attempt>();

export const newAttempt = (): Attempt => ({ encrypted: false, recipients: new Set() });

export const attempting = <T>(attempt: Attempt, send: () => Promise<T>): Promise<T> =>
  attempts.run(attempt, send);

function mark(jid: string): void {
  const attempt = attempts.getStore();
  if (!attempt) return;
  attempt.encrypted = true;
  attempt.recipients.add(userOf(jid));
}

export const watchEncrypting =
  (make: MakeRepository): MakeRepository =>
  (...args) => {
    const repository = make(...args);
    const encrypt = repository.encryptMessage.bind(repository);
    const encryptForGroup = repository.encryptGroupMessage.bind(repository);
    repository.encryptMessage = (options) => {
      mark(options.jid);
      return encrypt(options);
    };
    repository.encryptGroupMessage = (options) => {
      mark(options.group);
      return encryptForGroup(options);
    };
    return repository;
  };
