// Decides what becomes of each message that was taken in, and says so in the ledger. Decision, effect and
// the job's end are one transaction: a message is handed over exactly once, whatever restarts in between.
import type { AccountId } from '@relay/core/ids';
import type { LedgerRow } from '@relay/core/ledger/detail';
import { type Route, route } from '@relay/core/router/route';
import { answerByReaction, askAssistant } from '../flows/assistant/hear.ts';
import { askForReply } from '../flows/auto-reply/hear.ts';
import { hearContact, hearLateReply, hearOwner } from '../flows/conversation/hear.ts';
import type { ConversationWorld } from '../flows/conversation/work.ts';
import type { Work } from '../jobs/work.ts';
import { inOneTransaction } from '../jobs/work.ts';
import type { Transaction } from '../store/database.ts';
import { countKnocks } from '../store/knocks.ts';
import { fence } from '../store/lease.ts';
import { appendLedger } from '../store/ledger.ts';
import { settleTold } from '../store/told/settle.ts';
import type { MessagePlace, RoutedMessage } from './facts.ts';
import { readMessage } from './facts.ts';

/** A job of the queue `route`, as far as the router needs it. */
export interface RouteJob {
  readonly data: MessagePlace;
  complete(tx: Transaction): Promise<void>;
}

/** Reads a message of an observed group; what came of it is to be written down behind the route. */
export type HearGroup = (work: Work, message: RoutedMessage) => Promise<readonly LedgerRow[]>;

/** `admins` are the owner's other numbers, in digits. */
export function onRoute(
  world: ConversationWorld,
  admins: readonly string[] = [],
  hearGroup: HearGroup = async () => [],
) {
  return (job: RouteJob): Promise<void> =>
    inOneTransaction(world, async (work) => {
      await fence(work.tx, world.lease);
      // First, because a merge of the sender locks the job: the message is read as the merge left it.
      await job.complete(work.tx);
      const message = await readMessage(work.tx, job.data, admins, world.now());
      // Last, because its end is a row of the ledger, which stays locked from there to the commit.
      if (message === null || (await isToldTwice(work.tx, world.lease.account, message))) return;
      await place(world, work, message, hearGroup);
    });
}

/** A notification of a message that the account has received; that one is placed, and this row is gone. */
async function isToldTwice(
  tx: Transaction,
  account: AccountId,
  message: RoutedMessage,
): Promise<boolean> {
  const { chat } = message.facts;
  if (chat.kind !== 'group' || !chat.observed) return false;
  return (await settleTold(tx, account, message)).includes(message.number);
}

async function place(
  world: ConversationWorld,
  work: Work,
  message: RoutedMessage,
  hearGroup: HearGroup,
): Promise<void> {
  const { account } = world.lease;
  const decision = route(message.facts);
  const cameOf = decision.to === 'observer' ? await hearGroup(work, message) : [];
  await carryOut(world, work, message, decision);
  await appendLedger(work.tx, account, {
    actor: 'router',
    action: 'route_message',
    subject: { kind: 'message', id: message.id },
    outcome: decision.outcome,
    reason: decision.reason,
    detail: {
      chat: message.chat,
      number: message.number,
      ...(decision.to === 'auto_reply' ? { grant: message.grant } : {}),
      ...('instance' in decision ? { instance: decision.instance } : {}),
    },
  });
  for (const row of cameOf) await appendLedger(work.tx, account, row);
  const { outcome: to, reason } = decision;
  work.told.push(() =>
    world.log.debug('message routed', { chat: message.chat, message: message.id, to, reason }),
  );
}

function carryOut(
  world: ConversationWorld,
  work: Work,
  message: RoutedMessage,
  decision: Route,
): Promise<void> | undefined {
  switch (decision.to) {
    case 'conversation':
      return hearContact(world, work, decision.instance, message);
    case 'late_reply':
      return hearLateReply(world, work, decision.instance, message);
    case 'takeover':
      return hearOwner(world, work, decision.instance, message);
    case 'knock':
      return countKnocks(work.tx, world.lease.account, new Map([[decision.contact, 1]]));
    case 'assistant':
      return askAssistant(world, work, { ...message, self: message.facts.self });
    case 'reaction':
      return answerByReaction(world, work, { ...message, self: message.facts.self });
    case 'auto_reply':
      return askForReply(world, work, { ...message, contact: decision.contact });
    case 'observer':
    case 'nobody':
      return undefined;
  }
}
