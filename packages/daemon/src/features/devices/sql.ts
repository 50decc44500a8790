// Statements on devices and pairing codes. A code is claimed and used up by the one UPDATE that finds it unclaimed and
// unused.
import type { PairedDevice } from '@relay/contract/api/remote';
import type { AccountId, DeviceId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';

export interface Passkey {
  readonly device: DeviceId;
  readonly name: string;
  readonly host: string;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly counter: number;
}

export async function listDevices(db: Db, account: AccountId): Promise<readonly PairedDevice[]> {
  const rows = await db
    .selectFrom('devices')
    .select(['id', 'name', 'host', 'synced', 'created_at', 'last_used_at'])
    .where('account_id', '=', account)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ created_at, last_used_at, ...row }) => ({
    ...row,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  }));
}

export async function insertDevice(
  tx: Transaction,
  account: AccountId,
  device: Omit<Passkey, 'device'> & { readonly synced: boolean; readonly at: Date },
): Promise<DeviceId> {
  const { id } = await tx
    .insertInto('devices')
    .values({
      account_id: account,
      name: device.name,
      host: device.host,
      credential_id: device.credentialId,
      public_key: device.publicKey,
      counter: device.counter,
      synced: device.synced,
      created_at: device.at,
      last_used_at: device.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function deleteDevice(
  tx: Transaction,
  account: AccountId,
  device: DeviceId,
): Promise<void> {
  await tx
    .deleteFrom('devices')
    .where('account_id', '=', account)
    .where('id', '=', device)
    .execute();
}

export async function findPasskey(
  db: Db,
  account: AccountId,
  credentialId: Buffer,
): Promise<Passkey | null> {
  const row = await db
    .selectFrom('devices')
    .select(['id', 'name', 'host', 'credential_id', 'public_key', 'counter'])
    .where('account_id', '=', account)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    device: row.id,
    name: row.name,
    host: row.host,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: Number(row.counter),
  };
}

/** False if another use of the passkey has moved the counter as far in the meantime. */
export async function noteDeviceUse(
  tx: Transaction,
  account: AccountId,
  use: { readonly device: DeviceId; readonly counter: number; readonly at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('devices')
    .set({ counter: use.counter, last_used_at: use.at })
    .where('account_id', '=', account)
    .where('id', '=', use.device)
    .where(sql<boolean>`(counter < ${use.counter} OR counter = 0 AND ${use.counter} = 0)`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

// Pairing codes.

export async function insertPairingCode(
  tx: Transaction,
  account: AccountId,
  code: { readonly hash: Buffer; readonly expiresAt: Date },
): Promise<void> {
  await tx
    .insertInto('pairing_codes')
    .values({ account_id: account, hash: code.hash, expires_at: code.expiresAt })
    .execute();
}

interface CodeUse {
  readonly hash: Buffer;
  readonly attempt: Buffer;
  readonly at: Date;
}

/** True for the phone that opened the code first, as often as it asks. */
export async function claimPairingCode(
  tx: Transaction,
  account: AccountId,
  { hash, attempt, at }: CodeUse,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('pairing_codes')
    .set({ attempt })
    .where('account_id', '=', account)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .where((is) => is.or([is('attempt', 'is', null), is('attempt', '=', attempt)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** True once. */
export async function usePairingCode(
  tx: Transaction,
  account: AccountId,
  { hash, attempt, at }: CodeUse,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('pairing_codes')
    .set({ used_at: at })
    .where('account_id', '=', account)
    .where('hash', '=', hash)
    .where('attempt', '=', attempt)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function deletePairingCodes(tx: Transaction, account: AccountId): Promise<void> {
  await tx.deleteFrom('pairing_codes').where('account_id', '=', account).execute();
}

export async function deleteDeviceSessions(tx: Transaction, account: AccountId): Promise<void> {
  await tx
    .deleteFrom('browser_sessions')
    .where(
      'device_id',
      'in',
      tx.selectFrom('devices').select('id').where('account_id', '=', account),
    )
    .execute();
}
