// Whether an answer may go to an observed group: the owner asked for it there, this very run answers them,
// and the group was not answered too often. Looked up in the transaction of the decision, never told by
// whoever submits; the group stays locked, so that two answers are decided one after the other.
import type { AccountId, ChatId, RequestId, RunId } from '@relay/core/ids';
import { cadenceOf } from '@relay/core/observer/cadence';
import { observedOptionsSchema, termsOf } from '@relay/core/observer/options';
import { ANSWERED_WITHIN_MS, isTooOld } from '@relay/core/observer/patience';
import type { Actor } from '@relay/core/policy/actors';
import type { ChatFacts, Facts } from '@relay/core/policy/facts';
import { zoneNamed } from '@relay/core/schedule/zone';
import type { ObserverSettings } from '@relay/core/settings';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';
import { answersIn } from '../store/observer/requests.ts';

export interface AskingOptions {
  /** Without them no group is answered. */
  readonly observer?: ObserverSettings;
  readonly now?: () => Date;
}

export interface AskedFacts extends Pick<Facts, 'askedByOwner' | 'withinCadence'> {
  /** It is too long ago that the owner asked. */
  readonly tooOld: boolean;
}

export const NOT_ASKED: AskedFacts = { askedByOwner: false, withinCadence: false, tooOld: false };

export interface Answering {
  readonly account: AccountId;
  readonly actor: Actor;
  readonly chat: ChatFacts | null;
  /** Its place in the outbox, once it has one. */
  readonly seq: number | null;
}

interface Row {
  id: RequestId;
  sent_at: Date;
  zone: string;
  options: unknown;
}

export async function askedFacts(
  tx: Transaction,
  { account, actor, chat, seq }: Answering,
  { observer, now: clock = () => new Date() }: AskingOptions,
): Promise<AskedFacts> {
  if (actor.kind !== 'assistant' || chat?.kind !== 'group' || !chat.observed) return NOT_ASKED;
  if (observer === undefined) return NOT_ASKED;
  const row = await requestOf(
    tx,
    account,
    chat.id,
    actor.run,
    seq === null ? 'answering' : 'answered',
  );
  const zone = row === null ? null : zoneNamed(row.zone);
  if (row === null || zone === null) return NOT_ASKED;
  const now = clock();
  const { answersPerDay, minutesBetweenAnswers } = termsOf(
    observedOptionsSchema.parse(row.options),
    observer,
  );
  const answered = await answersIn(tx, account, chat.id, {
    now,
    except: row.id,
    ...(seq === null ? {} : { before: seq }),
  });
  const settings = {
    answers_per_day: answersPerDay,
    minutes_between_answers: minutesBetweenAnswers,
  };
  return {
    askedByOwner: true,
    withinCadence: cadenceOf({ answered, settings, zone, now }).may,
    tooOld: isTooOld(row.sent_at, now, ANSWERED_WITHIN_MS),
  };
}

async function requestOf(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  run: RunId,
  state: 'answering' | 'answered',
): Promise<Row | null> {
  const { rows } = await sql<Row>`
    SELECT r.id, r.sent_at, o.zone, o.options
    FROM observed_groups o JOIN observer_requests r ON r.account_id = o.account_id AND r.chat_id = o.chat_id
    WHERE o.account_id = ${account} AND o.chat_id = ${chat} AND r.run_id = ${run} AND r.state = ${state}
      AND r.verdict = 'direct_request'
    FOR NO KEY UPDATE OF o`.execute(tx);
  return rows[0] ?? null;
}
