// Proves that this daemon wrote a permit or the head of the ledger: a MAC with the vault's key, which is not in the
// database. Somebody who can only write to the database can copy a MAC but not create one.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import type {
  AccountId,
  ApprovalId,
  ChatId,
  InstanceId,
  MessageId,
  PermitId,
  RunId,
  ScheduleId,
} from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';

/** A row of the ledger by its number, and its hash in hex. */
export interface LedgerMark {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first row. */
export const LEDGER_START: LedgerMark = { seq: 0, hash: '' };

type Fact = string | number | null;

/** What a MAC is for, so that it is never valid for something else. */
type Kind = 'permit' | 'ledger head' | 'ledger verified';

export class Seal {
  readonly #mac: Sealer['mac'];
  readonly #newest = new Map<AccountId, LedgerMark>();
  readonly #changed = new Set<AccountId>();

  constructor({ mac }: Pick<Sealer, 'mac'>) {
    this.#mac = mac;
  }

  sign(kind: Kind, facts: readonly Fact[]): Buffer {
    return Buffer.from(this.#mac(JSON.stringify([kind, ...facts])));
  }

  isSigned(mac: Uint8Array | null, kind: Kind, facts: readonly Fact[]): boolean {
    const own = this.sign(kind, facts);
    return mac !== null && mac.length === own.length && timingSafeEqual(mac, own);
  }

  /** The newest signed and committed head of this ledger that this process knows. */
  newestHead(account: AccountId): LedgerMark {
    return this.#newest.get(account) ?? LEDGER_START;
  }

  /**
   * Whether this daemon signed this head and the ledger was not set back to it. If so, it is remembered: pass only a
   * committed head.
   */
  acceptHead(account: AccountId, head: LedgerMark, mac: Uint8Array | null): boolean {
    const newest = this.newestHead(account);
    const isSetBack =
      head.seq < newest.seq || (head.seq === newest.seq && head.hash !== newest.hash);
    if (isSetBack || !this.isSignedHead(account, head, mac)) return false;
    this.#newest.set(account, head);
    return true;
  }

  /** The owner had the ledger replaced: what was known of the former one does not apply. */
  forgetHead(account: AccountId): void {
    this.#newest.delete(account);
  }

  isSignedHead(account: AccountId, head: LedgerMark, mac: Uint8Array | null): boolean {
    if (head.seq === 0) return head.hash === '';
    return this.isSigned(mac, 'ledger head', [account, head.seq, head.hash]);
  }

  /** Whether this process has signed a head of this ledger since the last call. */
  takeChange(account: AccountId): boolean {
    return this.#changed.delete(account);
  }

  signHead(account: AccountId, head: LedgerMark): Buffer {
    this.#changed.add(account);
    return this.sign('ledger head', [account, head.seq, head.hash]);
  }
}

/** Everything that the re-check trusts of a permit, and the message it was given for. */
export interface PermitFacts {
  readonly account_id: AccountId;
  readonly id: PermitId;
  readonly ledger_seq: number;
  readonly actor: string;
  readonly intent: string;
  readonly chat_id: ChatId;
  /** Hash of the content, in hex. */
  readonly hash: string;
  readonly instance_id: InstanceId | null;
  readonly instance_epoch: number | null;
  readonly follow_up_after: number | null;
  readonly approval_id: ApprovalId | null;
  readonly run_id: RunId | null;
  readonly schedule_id: ScheduleId | null;
  readonly message_id: MessageId;
}

/** An id may be given in capitals but is always read in lower case. */
export const permitFacts = (permit: PermitFacts): readonly Fact[] =>
  [
    permit.account_id,
    permit.id,
    permit.ledger_seq,
    permit.actor,
    permit.intent,
    permit.chat_id,
    permit.hash,
    permit.instance_id,
    permit.instance_epoch,
    permit.follow_up_after,
    permit.approval_id,
    permit.run_id,
    permit.schedule_id,
    permit.message_id,
  ].map((fact) => (typeof fact === 'string' ? fact.toLowerCase() : fact));

// Hashes of what is permitted or approved: recipient and content together. A permit or an approval for one is not valid
// for another.

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface HashedContent {
  readonly chat: ChatId;
  readonly text: string;
  /** WhatsApp's id of the message that it replies to. */
  readonly quotes?: string | null;
  /** What it is besides text. A file is named by its id and by the hash of its bytes. */
  readonly content?: OutgoingContent | null;
}

/** A chat's id never begins with a word, so that no two kinds of message can have the same hash. */
export function contentHash({ chat, text, quotes = null, content = null }: HashedContent): string {
  if (content !== null) return sha256(`content\n${canonical([content, quotes])}\n${chat}\n${text}`);
  return sha256(quotes === null ? `${chat}\n${text}` : `reply\n${quotes}\n${chat}\n${text}`);
}

/** Whether both are the same, as `contentHash` sees them. */
export const isSameContent = (
  a: OutgoingContent | null | undefined,
  b: OutgoingContent | null | undefined,
): boolean => canonical(a ?? null) === canonical(b ?? null);

/** What the owner is asked to approve, as `approvals.intent` holds it. */
export type ApprovableIntent =
  | ({ readonly kind: 'send_message' } & HashedContent)
  | { readonly kind: 'create_conversation'; readonly chat: ChatId; readonly request: unknown }
  | {
      readonly kind: 'schedule_message' | 'cancel_schedule' | 'manage_grant';
      readonly chat?: ChatId;
    };

/** Of the recipient and the whole content. */
export function intentHash(intent: ApprovableIntent): string {
  if (intent.kind === 'send_message') return contentHash(intent);
  if (intent.kind === 'create_conversation') {
    return sha256(`${intent.kind}\n${intent.chat}\n${canonical(intent.request)}`);
  }
  const { kind, ...rest } = intent;
  return sha256(`${kind}\n${canonical(rest)}`);
}

/** Independent of the order of keys: the database does not keep it. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
