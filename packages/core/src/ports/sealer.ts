// The interface for encryption at rest and proof of origin. A sealed value can be opened only with this home's key and
// under the name it was sealed for: a row moved to another place does not open.

import type { AccountId, MessageId } from '@relay/contract/ids';

export interface Sealer {
  seal(name: string, plain: Uint8Array): Uint8Array;
  /** Throws if the bytes were altered, cut, moved, or sealed with another key. */
  open(name: string, sealed: Uint8Array): Uint8Array;
  /** A MAC of the text. It cannot be made without the key, and the same text always gets the same one. */
  mac(text: string): Uint8Array;
  /** Seals with a key of this account's own. Opens also what was sealed with the home's key. */
  forAccount(account: AccountId): Sealer;
}

/** The name that a webhook's secret is sealed under. */
export const webhookSecretName = (id: string): string => `webhook/${id}`;

/** The settings of an account that are secrets, and the names that they are sealed under. */
export const ACCOUNT_SECRETS = ['proxy', 'model_api_key'] as const;
export const accountSecretName = (account: AccountId, name: string): string =>
  `account/${account}/${name}`;

/** The name that a message as it is sent is sealed under. */
export const builtMessageName = (account: AccountId, id: MessageId): string =>
  `outgoing/${account}/${id}`;
