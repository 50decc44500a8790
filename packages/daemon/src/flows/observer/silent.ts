// A request that is met with silence: its row says so, and the ledger says why. Last in its transaction.
import type { RunId } from '@relay/core/ids';
import { type AnswerReason, answerRow } from '@relay/core/ledger/answers';
import type { TriggerLabel } from '@relay/core/observer/trigger/answer';
import type { Engine, Work } from '../../jobs/work.ts';
import { appendLedger } from '../../store/ledger.ts';
import { changeRequest, messageOf, type RequestRow } from '../../store/observer/requests.ts';

export interface Silence {
  readonly reason: AnswerReason;
  readonly run?: RunId;
  readonly verdict?: TriggerLabel | null;
}

export async function keepSilent(
  { lease: { account }, log }: Engine,
  work: Work,
  request: RequestRow,
  { reason, run, verdict }: Silence,
): Promise<void> {
  const { chat_id: chat } = request;
  await changeRequest(work.tx, request, {
    state: 'silent',
    reason,
    ...(verdict === undefined ? {} : { verdict }),
  });
  const message = await messageOf(work.tx, request);
  if (message === null) return;
  const detail = { chat, ...(run === undefined ? {} : { run }) };
  await appendLedger(
    work.tx,
    account,
    answerRow({ actor: `observer:${chat}`, message, reason, detail }),
  );
  work.told.push(() => log.info('met with silence', { chat, message, reason }));
}
