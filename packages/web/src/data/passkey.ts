// Pairs this device and signs it in with its passkey, at the address for phones. An action that needs the passkey again
// waits for it, and is then repeated.

/** Whether the page came through the owner's proxy. On the machine of the daemon it has no TLS. Unit tests have no page. */
export const IS_REMOTE = globalThis.location?.protocol === 'https:';

const PAIRING = /^#?pair=([\w-]+)$/;

/** The pairing code in the address that the QR code contains. */
export const pairingCodeIn = (hash: string): string | null => PAIRING.exec(hash)?.[1] ?? null;

type Fetch = typeof globalThis.fetch;

/** Set by the part that asks for the passkey; resolves to false if it was not used. */
let confirmWithPasskey: (() => Promise<boolean>) | null = null;

export function onPasskeyNeeded(confirm: () => Promise<boolean>): void {
  confirmWithPasskey = confirm;
}

/** Asks for the passkey now, for an action that is not a request of the client. */
export const confirmPasskey = async (): Promise<boolean> => (await confirmWithPasskey?.()) ?? false;

/** Repeats a request that needs the passkey of the last minutes, once the passkey was used. */
export const fetchWithPasskey: Fetch = async (input, init) => {
  const answer = await fetch(input, init);
  if (!IS_REMOTE || answer.status !== 403) return answer;
  const refusal = await answer
    .clone()
    .json()
    .catch(() => null);
  if (refusal?.code !== 'passkey_stale') return answer;
  return (await confirmPasskey()) ? fetch(input, init) : answer;
};
