// The owner is told on WhatsApp, if they wish, that a message they count on was refused.
import { REASONS, type ReasonCode } from '@relay/core/policy/reasons';
import { describeRule } from '@relay/core/schedule/words';
import { tellOwner } from '../gate/tell-owner.ts';
import type { Work } from '../jobs/work.ts';
import { ruleOf, type ScheduleRow } from './rows.ts';
import type { ScheduleWorld } from './world.ts';

/** Enough of the words to know which one is meant. */
const SHOWN = 60;

export async function tellRefused(
  world: ScheduleWorld,
  work: Work,
  row: ScheduleRow,
  reason: ReasonCode,
): Promise<void> {
  if (!world.settings.tell_owner_on_whatsapp) return;
  const { rule, zone } = ruleOf(row);
  const words = row.body.length > SHOWN ? `${row.body.slice(0, SHOWN - 1).trimEnd()}…` : row.body;
  const text = `A scheduled message was not sent: "${words}" (${describeRule(rule, zone)}). ${REASONS[reason].sentence}`;
  const { gate, lease } = world;
  const told = await tellOwner(work.tx, { gate, account: lease.account }, text.toWellFormed());
  if (told) work.told.push(() => gate.hint());
}
