// Messages that have not left when two chats turn out to be one. Their permits are for one of the chats: they are
// written again for the one that is kept. Whether they may leave is still decided just before, over the merged grant.
import type { ChatId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import { sealOf } from '../database.ts';
import { contentHash } from '../intent-hash.ts';
import { type PermitFacts, permitFacts } from '../seal.ts';
import type { MergeWork } from './work.ts';

export interface OpenPermit extends PermitFacts {
  readonly mac: Buffer | null;
  readonly body: string;
}

/** The name of whoever acts in the chat. */
export const actorAfter = (actor: string, gone: ChatId, kept: ChatId): string =>
  actor === `auto_reply:${gone}` ? `auto_reply:${kept}` : actor;

/** The same for a column. */
export const actorColumnAfter = (actor: RawBuilder<unknown>, gone: ChatId, kept: ChatId) =>
  sql<string>`CASE WHEN ${actor} = ${`auto_reply:${gone}`} THEN ${`auto_reply:${kept}`} ELSE ${actor} END`;

/** Of the messages in the chat that may still leave. To be read before the approvals are moved. */
export async function openPermits(
  { tx, account }: MergeWork,
  chat: ChatId,
): Promise<readonly OpenPermit[]> {
  const { rows } = await sql<OpenPermit>`
    SELECT p.account_id, p.id, p.ledger_seq, p.actor, p.intent, p.chat_id, encode(p.content_hash, 'hex') AS hash,
      p.instance_id, p.instance_epoch, p.follow_up_after, p.approval_id, p.run_id, p.schedule_id, p.mac,
      o.message_id, o.body
    FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
    WHERE o.account_id = ${account} AND o.chat_id = ${chat} AND o.state IN ('pending', 'unknown')`.execute(
    tx,
  );
  return rows;
}

/** All permits of the chat, and by their foreign key the messages. An approved permit has the hash of its approval. */
export async function movePermits(
  work: MergeWork,
  open: readonly OpenPermit[],
  gone: ChatId,
  kept: ChatId,
): Promise<void> {
  const { tx, account } = work;
  const moved = open.map((permit) => movedTo(work, permit, kept));
  await sql`UPDATE permits SET chat_id = ${kept}, actor = ${actorColumnAfter(sql.ref('actor'), gone, kept)}
    WHERE account_id = ${account} AND chat_id = ${gone}`.execute(tx);
  await sql`UPDATE permits p SET actor = n.actor, mac = n.mac,
      content_hash = CASE WHEN p.approval_id IS NULL THEN n.hash ELSE p.content_hash END
    FROM unnest(${moved.map(({ id }) => id)}::uuid[],
      ${moved.map(({ hash }) => Buffer.from(hash, 'hex'))}::bytea[],
      ${moved.map(({ actor }) => actor)}::text[], ${moved.map(({ mac }) => mac)}::bytea[])
      AS n(id, hash, actor, mac)
    WHERE p.account_id = ${account} AND p.id = n.id`.execute(tx);
}

/** One that was forged or altered before stays so: only what was signed is signed again. */
function movedTo({ tx }: MergeWork, permit: OpenPermit, chat: ChatId): OpenPermit {
  const { chat_id: gone, hash, body, mac } = permit;
  const seal = sealOf(tx);
  const isOwn = hash === contentHash({ chat: gone, text: body });
  const after = {
    ...permit,
    chat_id: chat,
    hash: isOwn ? contentHash({ chat, text: body }) : hash,
    actor: actorAfter(permit.actor, gone, chat),
  };
  const isSigned = seal.isSigned(mac, 'permit', permitFacts(permit));
  return { ...after, mac: isSigned ? seal.sign('permit', permitFacts(after)) : mac };
}
