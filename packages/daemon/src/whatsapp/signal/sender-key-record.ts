// Sender keys of groups as bytes. Baileys' own form loses its Buffers when it is read again, so that every
// group message that comes out of order fails; this one keeps them.
// Invariant: a record is never changed.

export interface SenderKeyStep {
  readonly iteration: number;
  readonly seed: Buffer;
}

export interface SenderKeyState {
  readonly id: number;
  readonly chain: SenderKeyStep;
  /** The private key is empty unless the group hears us by it. */
  readonly signing: { readonly public: Buffer; readonly private: Buffer };
  /** Keys of messages that have not come yet though later ones have. */
  readonly skipped: readonly SenderKeyStep[];
}

/** The newest last. */
export type SenderKeyStates = readonly SenderKeyState[];

type StoredStep = readonly [iteration: number, seed: string];
type StoredState = readonly [
  id: number,
  chain: StoredStep,
  publicKey: string,
  privateKey: string,
  skipped: readonly StoredStep[],
];

export function writeSenderKey(states: unknown): Uint8Array {
  const stored = (states as SenderKeyStates).map(
    ({ id, chain, signing, skipped }): StoredState => [
      id,
      writeStep(chain),
      signing.public.toString('base64'),
      signing.private.toString('base64'),
      skipped.map(writeStep),
    ],
  );
  return Buffer.from(JSON.stringify(stored));
}

export function readSenderKey(stored: Uint8Array): SenderKeyStates {
  const states: StoredState[] = JSON.parse(Buffer.from(stored).toString());
  return states.map(([id, chain, publicKey, privateKey, skipped]) => ({
    id,
    chain: readStep(chain),
    signing: {
      public: Buffer.from(publicKey, 'base64'),
      private: Buffer.from(privateKey, 'base64'),
    },
    skipped: skipped.map(readStep),
  }));
}

const writeStep = ({ iteration, seed }: SenderKeyStep): StoredStep => [
  iteration,
  seed.toString('base64'),
];

const readStep = ([iteration, seed]: StoredStep): SenderKeyStep => ({
  iteration,
  seed: Buffer.from(seed, 'base64'),
});
