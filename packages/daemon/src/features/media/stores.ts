// The stores of all accounts: each opened when it is first needed. Whoever holds the account's lease starts it.
import type { AccountId } from '@relay/contract/ids';
import type { Settings } from '@relay/contract/settings';
import type { Vault } from '../../platform/home/vault/vault.ts';
import { openS3Files } from './s3-files.ts';
import { MediaStore } from './store.ts';

interface MediaHome {
  readonly home: string;
  readonly settings: Pick<Settings, 'media'>;
}

export class MediaStores {
  readonly #home: MediaHome;
  readonly #sealer: Vault['sealer'];
  readonly #opened = new Map<AccountId, Promise<MediaStore>>();

  constructor(home: MediaHome, sealer: Vault['sealer']) {
    this.#home = home;
    this.#sealer = sealer;
  }

  of(account: AccountId): Promise<MediaStore> {
    const opened = this.#opened.get(account) ?? this.#open(account);
    this.#opened.set(account, opened);
    return opened;
  }

  async #open(account: AccountId): Promise<MediaStore> {
    const { home, settings } = this.#home;
    const files = await openS3Files(settings.media, account);
    return new MediaStore({ home, account, sealer: this.#sealer.forAccount(account), files });
  }
}

/** For archives: they contain the plain bytes. */
export const archivedFiles = (stores: Pick<MediaStores, 'of'>) => ({
  open: async (account: AccountId, object: string) => (await stores.of(account)).open(object),
  put: async (account: AccountId, source: AsyncIterable<Uint8Array>) =>
    (await stores.of(account)).put(
      source,
      { limit: Number.MAX_SAFE_INTEGER },
      async (stored) => stored,
    ),
});
