// What is known of groups: their members and names, kept so that a send need not ask the server again.
// Invariant: bounded, and dropped whenever the server says that a group changed.
import type { GroupInfo } from '@relay/core/ports/transport';
import type { GroupMetadata, WASocket } from '@whiskeysockets/baileys';
import { peopleOf } from './addresses.ts';

const KEPT = 500;

export function groupInfo(metadata: GroupMetadata): GroupInfo {
  const expiresAfterS = metadata.ephemeralDuration ?? 0;
  return {
    address: metadata.id,
    subject: metadata.subject ?? '',
    members: metadata.participants.map(({ admin, id, lid, phoneNumber }) => ({
      addresses: peopleOf([id, lid, phoneNumber]),
      role: admin ? 'admin' : 'member',
    })),
    expiresAfterS: expiresAfterS > 0 ? expiresAfterS : null,
  };
}

export class GroupCache {
  readonly #known = new Map<string, GroupMetadata>();
  readonly #onGroup: (group: GroupInfo) => void;

  constructor(onGroup: (group: GroupInfo) => void) {
    this.#onGroup = onGroup;
  }

  get(jid: string): GroupMetadata | undefined {
    return this.#known.get(jid);
  }

  put(metadata: GroupMetadata): void {
    this.#known.delete(metadata.id);
    this.#known.set(metadata.id, metadata);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
    this.#onGroup(groupInfo(metadata));
  }

  /** Asks the server unless the group is known. Null for one the account is not in. */
  async find(jid: string, socket: WASocket): Promise<GroupMetadata | null> {
    const known = this.#known.get(jid);
    if (known) return known;
    const metadata = await socket.groupMetadata(jid).catch((error: unknown) => {
      if (refusal(error)) return null;
      throw error;
    });
    if (metadata) this.put(metadata);
    return metadata;
  }

  /** The server said it changed: what is known is dropped and asked for anew. */
  async changed(jid: string, socket: WASocket): Promise<void> {
    this.#known.delete(jid);
    await this.find(jid, socket);
  }

  clear(): void {
    this.#known.clear();
  }
}

/** An IQ that the server answered with an error, as opposed to one it never answered. */
const refusal = (error: unknown): boolean =>
  typeof (error as { data?: unknown } | null)?.data === 'number';
