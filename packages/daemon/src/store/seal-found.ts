// Signs what is in the database and was not signed by this home yet: at the first start after an upgrade, and after an
// archive was restored. From then on nothing unsigned is believed.
import type { AccountId } from '@relay/core/ids';
import { sql } from 'kysely';
import { sealOf, type Transaction } from './database.ts';
import { type PermitFacts, permitFacts } from './seal.ts';

/** The head, and the permits of all messages that may still leave. Does nothing where the head is already signed. */
export async function sealFound(tx: Transaction, account: AccountId): Promise<void> {
  const seal = sealOf(tx);
  const found = await tx
    .selectFrom('ledger_heads')
    .select(['seq', 'hash', 'mac'])
    .where('account_id', '=', account)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const head = { seq: found.seq, hash: found.hash.toString('hex') };
  if (seal.isSignedHead(account, head, found.mac)) return;
  await sql`UPDATE ledger_heads SET mac = ${seal.signHead(account, head)}
    WHERE account_id = ${account}`.execute(tx);
  const { rows } = await sql<PermitFacts>`
    SELECT p.account_id, p.id, p.ledger_seq, p.actor, p.intent, p.chat_id, encode(p.content_hash, 'hex') AS hash,
      p.instance_id, p.instance_epoch, p.follow_up_after, p.approval_id, p.run_id, p.schedule_id, o.message_id
    FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
    WHERE o.account_id = ${account} AND o.state IN ('pending', 'unknown')`.execute(tx);
  const macs = rows.map((permit) => seal.sign('permit', permitFacts(permit)));
  await sql`UPDATE permits p SET mac = n.mac
    FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${macs}::bytea[]) AS n(id, mac)
    WHERE p.account_id = ${account} AND p.id = n.id`.execute(tx);
}
