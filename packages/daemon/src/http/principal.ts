// Who a request comes from, once its credential was looked at.

export interface Principal {
  readonly kind: 'token' | 'session' | 'forwarder';
  /** The hash of the secret: names the principal without giving it away. */
  readonly hash: string;
}
