// An account's settings and chat flags, synchronised between its devices as encrypted patches. Invariant: patches of a
// collection are numbered from 1 without a gap, and the hash covers them all.
import { randomBytes, randomInt } from 'node:crypto';
import {
  type ChatModification,
  chatModificationToAppPatch,
  decodePatches,
  encodeSyncdPatch,
  type LTHashState,
  newLTHashState,
  proto,
  type WAPatchName,
} from '@whiskeysockets/baileys';

interface AppStateChange {
  collection: string;
  index: string[];
  value: proto.ISyncActionValue | null | undefined;
}

interface Collection {
  patches: Uint8Array[];
  state: LTHashState;
}

export class AppState {
  readonly #keyId = randomBytes(6);
  readonly #keyData = randomBytes(32);
  readonly #deviceGroup = randomInt(1, 2 ** 31);
  readonly #collections = new Map<WAPatchName, Collection>();

  /** The keys that the phone gives a new companion, so that it can read the patches. */
  keyShare(): proto.IMessage {
    const keyData = {
      keyData: this.#keyData,
      fingerprint: { rawId: this.#deviceGroup, currentIndex: 1, deviceIndexes: [0, 1] },
      timestamp: Date.now(),
    };
    return {
      protocolMessage: {
        type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE,
        appStateSyncKeyShare: { keys: [{ keyId: { keyId: this.#keyId }, keyData }] },
      },
    };
  }

  version(name: WAPatchName): number {
    return this.#collection(name).patches.length;
  }

  patchesSince(name: WAPatchName, version: number): Uint8Array[] {
    return this.#collection(name).patches.slice(version);
  }

  /** Decrypts and stores a device's patch, and returns what it changed. */
  async add(name: WAPatchName, patch: proto.ISyncdPatch): Promise<AppStateChange[]> {
    const collection = this.#collection(name);
    const version = { version: collection.patches.length + 1 };
    const bytes = proto.SyncdPatch.encode({ ...patch, version }).finish();
    const { mutationMap, state } = await decodePatches(
      name,
      [proto.SyncdPatch.decode(bytes)],
      collection.state,
      this.#key,
      {},
      undefined,
      undefined,
      true,
    );
    collection.state = state;
    collection.patches.push(bytes);
    return Object.values(mutationMap).map(({ index, syncAction }) => ({
      collection: name,
      index,
      value: syncAction.value,
    }));
  }

  /** Encodes a change made on the phone. */
  async encode(modification: ChatModification, chat: string) {
    const change = chatModificationToAppPatch(modification, chat);
    const { state } = this.#collection(change.type);
    const keyId = this.#keyId.toString('base64');
    const { patch } = await encodeSyncdPatch(change, keyId, state, this.#key);
    return { name: change.type, patch };
  }

  #collection(name: WAPatchName): Collection {
    const known = this.#collections.get(name);
    if (known) return known;
    const fresh = { patches: [], state: newLTHashState() };
    this.#collections.set(name, fresh);
    return fresh;
  }

  readonly #key = async (id: string) =>
    id === this.#keyId.toString('base64') ? { keyData: this.#keyData } : undefined;
}
