// Folds the units of a batch into the columns of one statement. Of several writes to one key the last
// counts, and only that one is sealed: a ratchet that turned a hundred times is written once.
import type { AccountId } from '@relay/core/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import type { KeyWrite, WireUnit } from '@relay/core/ports/wire-store';
import { credentialsName, journalName, keyName, sealInboxContent } from './sealed.ts';
import { PART_NAMES, PARTS, type PartName, statement } from './statement.ts';
import { storable } from './text.ts';

/** For whom a unit is written, and under which right. */
export interface Owner {
  readonly account: AccountId;
  readonly epoch: number;
  readonly wireEpoch: number;
  readonly sealer: Sealer;
}

/** `forget` must be alone in its batch: parts of one statement do not see each other's writes. */
export type Work = WireUnit | 'forget';

export interface Query {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

export function toQuery(batch: readonly { owner: Owner; work: Work }[]): Query {
  const columns = new Columns();
  const keys = new Map<string, { owner: Owner; id: string; write: KeyWrite }>();
  const credentials = new Map<Owner, Uint8Array>();
  const owners = new Set<Owner>();
  for (const { owner, work } of batch) {
    owners.add(owner);
    if (work === 'forget') {
      columns.add('forget', owner.account);
      continue;
    }
    for (const write of work.keys ?? []) {
      const id = storable(write.id);
      keys.set(`${owner.account}/${write.kind}/${id}`, { owner, id, write });
    }
    if (work.credentials !== undefined) credentials.set(owner, work.credentials);
    addReceived(columns, owner, work);
  }
  for (const { owner, id, write } of keys.values()) {
    const { account, sealer } = owner;
    if (write.value === null) columns.add('remove', account, write.kind, id);
    else {
      const sealed = sealer.seal(keyName(account, write.kind, id), write.value);
      columns.add('put', account, write.kind, id, ...columns.bytes(sealed));
    }
  }
  for (const [{ account, sealer }, value] of credentials) {
    const sealed = sealer.seal(credentialsName(account), value);
    columns.add('credentials', account, ...columns.bytes(sealed));
  }
  return columns.toQuery(owners);
}

function addReceived(columns: Columns, { account, sealer }: Owner, unit: WireUnit): void {
  for (const { digest, plain } of unit.journal ?? []) {
    const sealed = sealer.seal(journalName(account, digest), plain);
    columns.add('journal', account, ...columns.bytes(digest), ...columns.bytes(sealed));
  }
  for (const entry of unit.inbox ?? []) {
    const chat = storable(entry.chat);
    const sender = storable(entry.sender);
    const message_id = storable(entry.id);
    const sealed = sealInboxContent(sealer, account, { chat, sender, message_id }, entry.content);
    const stanza = columns.bytes(entry.stanza);
    const content = columns.bytes(sealed);
    const digest = columns.bytes(entry.digest ?? new Uint8Array());
    columns.add('inbox', account, chat, sender, message_id, ...stanza, ...content, ...digest);
  }
}

class Columns {
  readonly #columns = new Map<PartName, unknown[][]>();
  readonly #chunks: Uint8Array[] = [];
  #end = 1;

  add(part: PartName, ...row: readonly unknown[]): void {
    let columns = this.#columns.get(part);
    if (columns === undefined) {
      columns = PARTS[part].types.map(() => []);
      this.#columns.set(part, columns);
    }
    for (const [index, column] of columns.entries()) column.push(row[index]);
  }

  /** Where the bytes stand in the one parameter, counted from 1, and how many they are. */
  bytes(chunk: Uint8Array): [offset: number, length: number] {
    const offset = this.#end;
    this.#chunks.push(chunk);
    this.#end += chunk.length;
    return [offset, chunk.length];
  }

  toQuery(owners: ReadonlySet<Owner>): Query {
    const parts = PART_NAMES.filter((part) => this.#columns.has(part));
    const held = [...owners];
    return {
      ...statement(parts),
      values: [
        Buffer.concat(this.#chunks),
        held.map((owner) => owner.account),
        held.map((owner) => owner.epoch),
        held.map((owner) => owner.wireEpoch),
        ...parts.flatMap((part) => this.#columns.get(part) ?? []),
      ],
    };
  }
}
