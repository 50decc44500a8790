// Who a request comes from, once its credential was looked at.

import type { Program } from '@relay/core/ports/tokens';

interface Known {
  /** The hash of the secret: names the principal without giving it away. */
  readonly hash: string;
}

export type Principal =
  | (Known & { readonly kind: 'token' | 'session' | 'forwarder' })
  | (Known & { readonly kind: 'program'; readonly program: Program });
