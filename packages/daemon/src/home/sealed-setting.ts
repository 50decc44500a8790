// A secret setting as it lies in `relay.config.json`: sealed for this home, each under its own name. One that
// somebody wrote by hand is taken as it stands.
import type { Sealer } from '@relay/core/ports/sealer';

const SEALED = 'sealed:';

export interface SealedSetting {
  sealed(sealer: Sealer, secret: string): string;
  /** Throws what it was given when it was sealed for another home. */
  opened(sealer: Sealer, written: string): string;
}

export function sealedSetting(
  name: 'model_api_key' | 'brave_api_key' | 'endpoint_api_key' | 'webhook_secret',
  elsewhere: (cause: unknown) => Error,
): SealedSetting {
  const label = `config/${name}`;
  return {
    sealed: (sealer, secret) =>
      SEALED + Buffer.from(sealer.seal(label, Buffer.from(secret))).toString('base64url'),
    opened(sealer, written) {
      if (!written.startsWith(SEALED)) return written;
      try {
        const bytes = Buffer.from(written.slice(SEALED.length), 'base64url');
        return Buffer.from(sealer.open(label, bytes)).toString();
      } catch (cause) {
        throw elsewhere(cause);
      }
    },
  };
}
