// From what was asked for to what is meant: the rule, the zone and the catch-up rule. Refused with a sentence
// where something cannot be understood for certain.
import type { CreateSchedule } from '@relay/core/api/schedules';
import { RelayError } from '@relay/core/errors';
import { usualCatchUp } from '@relay/core/schedule/rule';
import { readTyped } from '@relay/core/schedule/typed';
import { type Zone, zoneNamed } from '@relay/core/schedule/zone';
import { stillToCome } from './create.ts';
import type { Understood } from './list.ts';
import type { ScheduleWorld } from './world.ts';

type Wish = Omit<CreateSchedule, 'to'>;

export function understand(world: ScheduleWorld, wish: Wish): Understood {
  const zoneName = wish.zone ?? world.zone;
  const given = wish.rule ?? typed(world, wish.when ?? '', zoneName);
  const { rule, zone } = stillToCome(world, given, zoneName);
  return { rule, zone, catchUp: wish.catch_up ?? usualCatchUp(rule), text: wish.text };
}

function typed({ now }: ScheduleWorld, when: string, zoneName: string) {
  const read = readTyped(when, { zone: zoneOf(zoneName), now: now() });
  if (!read.ok) throw new RelayError('invalid_schedule', { what: read.sentence });
  return read.rule;
}

/** One that is none is refused with its sentence when the rule is checked. */
const zoneOf = (name: string): Zone => {
  const zone = zoneNamed(name) ?? zoneNamed('UTC');
  if (zone === null) throw new Error('this machine knows no zones');
  return zone;
};
