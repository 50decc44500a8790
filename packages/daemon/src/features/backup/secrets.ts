// The secrets in an archive: those of webhooks. In the database they are sealed with the key of their home, so a restore
// into another home seals them again.
import type { AccountId } from '@relay/contract/ids';
import { type Sealer, webhookSecretName } from '@relay/core/ports/sealer';
import type { VaultRecord } from '../../platform/home/vault/vault.ts';
import type { ArchiveHead } from './archive.ts';

export const SECRETS_TABLE = 'webhooks';

/** Stands in an archive for a secret that its home could not open either. */
export const NO_SECRET = new Uint8Array();

/** As `row_to_json` writes a `bytea`. */
const HEX = /^\\x([\da-f]*)$/;

interface SecretRow {
  readonly account_id: AccountId;
  readonly id: string;
  readonly name: string;
  readonly secret: string;
  readonly previous_secret: string | null;
}

/** Changes the secrets in a line of an archive. What cannot be changed stays as it is. */
export function mapSecrets(
  line: string,
  change: (name: string, bytes: Uint8Array, account: AccountId) => Uint8Array,
): string {
  const row = JSON.parse(line) as SecretRow;
  const mapped = (value: string): string => {
    const [, hex] = HEX.exec(value) ?? [];
    if (hex === undefined) return value;
    try {
      const bytes = change(webhookSecretName(row.id), Buffer.from(hex, 'hex'), row.account_id);
      return `\\x${Buffer.from(bytes).toString('hex')}`;
    } catch {
      return value;
    }
  };
  return JSON.stringify({
    ...row,
    secret: mapped(row.secret),
    previous_secret: row.previous_secret === null ? null : mapped(row.previous_secret),
  });
}

/** The key of the home that an archive is restored into, and how the key of another home is found. */
export interface RestoreKeys {
  readonly sealer: Pick<Sealer, 'forAccount'>;
  readonly vault: VaultRecord | null;
  findFormerKey(record: VaultRecord): Promise<Pick<Sealer, 'forAccount'> | null>;
}

/** The key that an archive's values are sealed with; null if it cannot be found. */
export async function findArchiveKey(
  { sealer, vault, findFormerKey }: RestoreKeys,
  { vault: from }: Pick<ArchiveHead, 'vault'>,
): Promise<Pick<Sealer, 'forAccount'> | null> {
  return from === null || from.id === vault?.id ? sealer : findFormerKey(from);
}

/** Returns what seals the secrets of this archive again, line by line. `as`: for this account of the home. */
export function openResealing(
  { sealer }: Pick<RestoreKeys, 'sealer'>,
  { secrets }: Pick<ArchiveHead, 'secrets'>,
  { former, as }: { former: Pick<Sealer, 'forAccount'> | null; as: AccountId | undefined },
): (line: string) => string {
  const seal = (account: AccountId, name: string, bytes: Uint8Array) =>
    sealer.forAccount(as ?? account).seal(name, bytes);
  if (secrets === 'open') {
    return (line) =>
      mapSecrets(line, (name, bytes, account) =>
        bytes.length === 0 ? NO_SECRET : seal(account, name, bytes),
      );
  }
  if (former === null || (former === sealer && as === undefined)) return (line) => line;
  return (line) =>
    mapSecrets(line, (name, bytes, account) =>
      seal(account, name, former.forAccount(account).open(name, bytes)),
    );
}

/** The name of the webhook if its secret cannot be opened in this home. */
export function unreadableSecretIn(line: string, { sealer }: RestoreKeys): string | null {
  const { account_id: account, id, name, secret } = JSON.parse(line) as SecretRow;
  try {
    sealer
      .forAccount(account)
      .open(webhookSecretName(id), Buffer.from(HEX.exec(secret)?.[1] ?? '', 'hex'));
    return null;
  } catch {
    return name;
  }
}
