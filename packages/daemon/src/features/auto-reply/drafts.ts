// Drafts for the owner's composer: a reply written at the owner's request, and the suggestions of suggest mode. Neither
// is sent by Relay: the owner sends a text of their own, through the gate, as the owner.

import { randomUUID } from 'node:crypto';
import type { ChatDraftService, DraftRequest } from '@relay/contract/api/chats';
import type { GrantOptions } from '@relay/contract/contacts/grant-options';
import { RelayError } from '@relay/contract/errors';
import { type ChatId, chatId, runId } from '@relay/contract/ids';
import { type DayUse, dayBudgetError, ZERO_DAY_USE } from '@relay/core/agent/budget';
import { MARK_KINDS } from '@relay/core/messages/message';
import { toStorableText } from '@relay/core/messages/text';
import { canRead } from '@relay/core/policy/decide';
import { type ConversationFacts, UNTAINTED } from '@relay/core/policy/facts';
import { refusalError } from '@relay/core/policy/reasons';
import type { ComposeReply, ReplyContext, ReplyLine } from '@relay/core/ports/agent-turn';
import { sql } from 'kysely';
import { type FactOptions, loadChatFacts } from '../../pipeline/gate/load-facts.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import { messageTextSql } from '../../platform/db/message-text.ts';
import { contactNumberSql } from '../../platform/db/names-and-addresses.ts';
import { noteSingleCallRun, spentTodaySql } from '../../platform/db/runs.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { AutoReplyDeps } from './settle.ts';
import type { ReplySession } from './sql.ts';

/** Messages of the chat in the context of a model call. */
const HISTORY_LINES = 20;

interface DraftDeps extends AutoReplyDeps {
  readonly facts: FactOptions;
  /** Without web search: a draft has no run in which a lookup could be recorded. */
  readonly compose: ComposeReply;
}

export function createChatDraftService(deps: DraftDeps): ChatDraftService {
  const { account } = deps.lease;
  return {
    async draft(id, request, signal) {
      const chat = parseChatId(id);
      const context = await transaction(deps, ({ tx }) =>
        loadDraftContext(deps, tx, chat, request),
      );
      const taint = { ...UNTAINTED, chats: [chat] };
      const text = await deps.compose(context, {
        signal,
        // A draft that was paid for is returned, even if it uses up the budget.
        onUsage: (spent) =>
          noteSingleCallRun(
            deps.db,
            deps.lease,
            { actor: `auto_reply:${chat}`, clock: deps, taint },
            spent,
          ),
        onText: () => {},
        beforeReading: async () => {},
        onToolCall: async () => {},
      });
      const draft = toStorableText(text).trim();
      if (draft === '') throw new RelayError('nothing_drafted');
      return { text: draft };
    },
    async dismissSuggestion(id) {
      const chat = parseChatId(id);
      await transaction(deps, async ({ tx }) => {
        await sql`UPDATE session_messages m SET suggested = false FROM sessions s
          WHERE s.account_id = ${account} AND s.chat_id = ${chat} AND s.kind = 'auto_reply'
            AND m.account_id = s.account_id AND m.session_id = s.id AND m.suggested`.execute(tx);
      });
    },
  };
}

/** A string that is not an id is answered like an unknown chat. */
function parseChatId(id: string): ChatId {
  try {
    return chatId(id);
  } catch {
    throw new RelayError('chat_gone');
  }
}

interface DraftRow {
  readonly name: string | null;
  readonly options: GrantOptions | null;
  readonly conversation: (ConversationFacts & { readonly goal: string }) | null;
  readonly day: DayUse;
}

/** The model may read what an agent may read there: by the grant, or in the open conversation with the contact. */
async function loadDraftContext(
  deps: DraftDeps,
  tx: Transaction,
  chat: ChatId,
  { hint }: DraftRequest,
): Promise<ReplyContext> {
  const { account } = deps.lease;
  const { rows } = await sql<DraftRow>`
    SELECT coalesce(g.display_name, p.display_name, p.push_name, ${contactNumberSql(sql.ref('c'))}) AS name, g.options,
      ${spentTodaySql(account, deps)} AS day,
      (SELECT json_build_object('instance', i.id, 'chat', i.chat_id, 'contact', i.contact_id, 'ended', false,
          'firstContactApproved', true, 'goal', i.objective)
        FROM instances i WHERE i.account_id = c.account_id AND i.contact_id = c.contact_id
          AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED')
          AND i.previous_state IS DISTINCT FROM 'QUEUED' LIMIT 1) AS conversation
    FROM chats c LEFT JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
      LEFT JOIN grants g ON g.account_id = c.account_id AND g.contact_id = c.contact_id
    WHERE c.account_id = ${account} AND c.id = ${chat}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new RelayError('chat_gone');
  const { conversation } = row;
  const { facts } = await loadChatFacts(tx, account, chat, conversation, deps.facts);
  const actor =
    conversation === null
      ? ({ kind: 'auto_reply', chat } as const)
      : ({ kind: 'conversation', chat, instance: conversation.instance } as const);
  const { outcome, reason } = canRead(actor, { ...facts, what: 'messages' });
  if (outcome !== 'allow') throw refusalError(reason);
  const fault = dayBudgetError(deps.settings.agent, row.day ?? ZERO_DAY_USE);
  if (fault !== null) throw fault;
  const { persona = null, model = null } = row.options ?? {};
  return {
    run: runId(randomUUID()),
    chat,
    sender: row.name ?? '',
    persona,
    model,
    lines: await readChatLines(deps, tx, chat),
    draft: { goal: conversation?.goal ?? null, hint: hint ?? null },
  };
}

/** The last messages of the chat, the owner's own included, oldest first. */
async function readChatLines(
  { lease: { account } }: Pick<AutoReplyDeps, 'lease'>,
  tx: Transaction,
  chat: ChatId,
): Promise<ReplyLine[]> {
  const { rows } = await sql<ReplyLine>`
    SELECT CASE WHEN m.from_me THEN 'agent' ELSE 'contact' END AS "from", ${messageTextSql(sql.ref('m'))} AS content, true AS sent
    FROM messages m WHERE m.account_id = ${account} AND m.chat_id = ${chat}
      AND m.kind <> ALL(${[...MARK_KINDS]}::text[])
    ORDER BY m.sent_at DESC, m.id DESC LIMIT ${HISTORY_LINES}`.execute(tx);
  return rows.reverse();
}

/** Shows the reply in the chat until it is overtaken or the owner dismisses it. It replaces the one before. */
export async function suggestReply(
  { lease: { account } }: Pick<AutoReplyDeps, 'lease'>,
  { tx }: UnitOfWork,
  { id: session, contact_id: contact }: ReplySession,
  line: number,
): Promise<void> {
  await sql`UPDATE session_messages SET suggested = id = ${line}
    WHERE account_id = ${account} AND session_id = ${session} AND (suggested OR id = ${line})`.execute(
    tx,
  );
  await appendEvent(tx, account, {
    kind: 'auto_reply',
    subject: contact,
    data: { state: 'suggested' },
  });
}
