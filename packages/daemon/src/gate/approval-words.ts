// What a person is asked about, in full: everything that the hash of the question covers is in these words,
// so that nothing is approved unseen.
import { grantWords, optionLines } from '@relay/core/contacts/words';
import { catchUpWords, describeRule } from '@relay/core/schedule/words';
import { zoneNamed } from '@relay/core/schedule/zone';
import type { Askable, GrantToChange, MessageToSchedule, ScheduleToCancel } from './proposals.ts';

export function whatIsAsked(proposal: Askable): { text: string; when: string | null } {
  switch (proposal.kind) {
    case 'send_message':
      return { text: proposal.text, when: null };
    case 'create_conversation':
      return { text: proposal.request.objective, when: null };
    case 'schedule_message':
      return {
        text: proposal.text,
        when: `${whenOf(proposal)}; ${catchUpWords(proposal.rule, proposal.catchUp)}`,
      };
    case 'cancel_schedule':
      return { text: proposal.text, when: whenOf(proposal) };
    case 'manage_grant':
      return { text: changeWords(proposal), when: null };
  }
}

function changeWords({ grant, displayName, options }: GrantToChange): string {
  if (grant === null) return 'The grant is removed: agents may do nothing here any more.';
  return [
    `Agents may ${grantWords(grant)} here.`,
    ...(displayName === null ? [] : [`Named ${displayName}`]),
    ...(options === undefined ? [] : optionLines(options)),
  ].join('\n');
}

function whenOf({ rule, zone }: MessageToSchedule | ScheduleToCancel): string {
  const known = zoneNamed(zone);
  return known === null ? `by the clocks of ${zone}` : describeRule(rule, known);
}
