// What a program would do, through the gate and past whoever has to be asked first:
//
//   submit(call, async (tx) => ({ question, submit: (tx, circumstances) => … }))
//     → { status: 'done', done }                                  it has happened
//     → { status: 'waiting_for_approval', approval_id, reason }   the owner is asked; nothing has happened
//     ✗ RelayError `denied` (the ledger has it) or `declined` (whoever sits at the program said no)
//
// Invariant: whoever sits at the program is asked only about what the gate would allow, with no transaction
// open and nothing written; their yes can only let it go on, and the gate decides again.
import { RelayError } from '@relay/core/errors';
import type { ApprovalId } from '@relay/core/ids';
import { type Decision, reasonSentence, refusalOf } from '@relay/core/policy/reasons';
import { z } from 'zod';
import type { Circumstances } from '../gate/consider.ts';
import type { Transaction } from '../store/database.ts';
import { fenced } from '../store/fenced.ts';
import type { Call } from './tool.ts';

export interface Went<Done> {
  readonly decision: Decision;
  /** There exactly if the owner is asked. */
  readonly approval: ApprovalId | null;
  /** There exactly if it was allowed. */
  readonly done: Done | null;
}

export interface Act<Done> {
  /** All that a yes is given to, word for word: whom, and what. */
  readonly question: string;
  submit(tx: Transaction, circumstances: Circumstances): Promise<Went<Done>>;
}

/** Run anew in each transaction; what it throws undoes that one. */
export type Prepare<Done> = (tx: Transaction) => Promise<Act<Done>>;

export interface Waiting {
  readonly status: 'waiting_for_approval';
  readonly approval_id: ApprovalId;
  readonly reason: string;
}

export type Outcome<Done> = { readonly status: 'done'; readonly done: Done } | Waiting;

/** For the output of a tool whose act may wait. */
export const WAITING = {
  approval_id: z
    .string()
    .optional()
    .describe('What the owner’s yes is waited for under; it has not happened before that.'),
  reason: z.string().optional().describe('Why it is as it is, in a sentence.'),
};

export async function submit<Done>(call: Call, prepare: Prepare<Done>): Promise<Outcome<Done>> {
  if (!call.program.confirm) return attempt(call, prepare, 'go_on');
  try {
    return await attempt(call, prepare, 'ask_here');
  } catch (error) {
    if (!(error instanceof Unasked)) throw error;
    const said = await call.confirm(error.question);
    if (said === 'no') throw new RelayError('declined');
    return attempt(call, prepare, said === 'yes' ? 'go_on' : 'ask_owner');
  }
}

/** Undoes the transaction in which the gate had no doubt but that somebody is to be asked. */
class Unasked extends Error {
  readonly question: string;

  constructor(question: string) {
    super('somebody is asked first');
    this.question = question;
  }
}

async function attempt<Done>(
  call: Call,
  prepare: Prepare<Done>,
  how: 'go_on' | 'ask_here' | 'ask_owner',
): Promise<Outcome<Done>> {
  const { db, gate, lease, changed } = call.world;
  const went = await call.inTurn(() =>
    gate.checkingNumbers((check) =>
      fenced(db, lease, async (tx) => {
        const act = await prepare(tx);
        const went = await act.submit(tx, {
          confirm: how !== 'go_on',
          confirmsHere: how === 'ask_here',
          ...check,
        });
        const unasked = how === 'ask_here' && went.decision.reason === 'confirm';
        if (unasked) throw new Unasked(act.question);
        // Whoever called was told that it is over: nothing happens behind their back.
        call.signal.throwIfAborted();
        return went;
      }),
    ),
  );
  changed();
  return settled(went);
}

export function settled<Done>({ decision, approval, done }: Went<Done>): Outcome<Done> {
  if (done !== null) return { status: 'done', done };
  if (approval === null) throw refusalOf(decision.reason);
  return {
    status: 'waiting_for_approval',
    approval_id: approval,
    reason: reasonSentence(decision.reason),
  };
}
