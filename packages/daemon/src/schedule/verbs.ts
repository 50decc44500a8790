// Schedules as routes, commands and the assistant ask for them. Each verb is one transaction; what the gate
// refuses stands in the ledger, and its reason is the answer.
import type { CreateSchedule, Schedule } from '@relay/core/api/schedules';
import { RelayError } from '@relay/core/errors';
import type { ScheduleId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { REASONS } from '@relay/core/policy/reasons';
import type { ScheduleVerbs } from '@relay/core/ports/schedules';
import type { Reader, Transaction } from '../store/database.ts';
import { fenced } from '../store/fenced.ts';
import { cancelSchedule } from './cancel.ts';
import { schedule } from './create.ts';
import { listSchedules, preview, recipientOf } from './list.ts';
import { chatFor } from './recipient.ts';
import { understand } from './understand.ts';
import type { ScheduleWorld } from './world.ts';

/** Enough to see a change of the clocks coming, and whether the right days were understood. */
const PREVIEWED = 5;

const OWNER: Actor = { kind: 'owner' };

export function scheduleVerbs(world: ScheduleWorld): ScheduleVerbs {
  const { db, lease, events } = world;
  const shown = async (id: ScheduleId): Promise<Schedule> => {
    const [found] = await listSchedules(db, lease.account, { id });
    if (found === undefined) throw new RelayError('schedule_not_found', { id });
    return found;
  };
  return {
    list: (state, page) => listSchedules(db, lease.account, { state }, page),
    preview: (wish) => undone(db, (tx) => previewed(world, tx, wish)),
    create: async (wish) => {
      const { decision, id } = await fenced(db, lease, (tx) => created(world, tx, wish));
      events.hint();
      if (id === null)
        throw new RelayError('denied', { reason: REASONS[decision.reason].sentence });
      return shown(id);
    },
    cancel: async (id) => {
      await fenced(db, lease, (tx) => cancelSchedule(world, tx, OWNER, id));
      events.hint();
      return shown(id);
    },
  };
}

/** A look at what would be: contacts and chats that it makes on the way are not kept. */
async function undone<T>(db: Reader, look: (tx: Transaction) => Promise<T>): Promise<T> {
  const tx = await db.startTransaction().execute();
  try {
    return await look(tx);
  } finally {
    await tx.rollback().execute();
  }
}

async function previewed(world: ScheduleWorld, tx: Transaction, wish: CreateSchedule) {
  const understood = understand(world, wish);
  const chat = await chatFor(world, tx, wish.to);
  const recipient = await recipientOf(tx, world.lease.account, chat);
  return preview(understood, recipient, world.now(), PREVIEWED);
}

async function created(world: ScheduleWorld, tx: Transaction, wish: CreateSchedule) {
  const { rule, zone, catchUp, text } = understand(world, wish);
  const chat = await chatFor(world, tx, wish.to);
  return schedule(world, tx, OWNER, { chat, text, rule, zone: zone.name, catchUp });
}
