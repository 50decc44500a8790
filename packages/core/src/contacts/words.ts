// A grant in words, the same for the command, the console and the owner's own chat.
import type { Grant } from './grants.ts';
import type { GrantOptions } from './options.ts';

const NOTHING = 'do nothing';

/** What agents may do, such as "read and reply". */
export function grantWords(grant: Grant | null): string {
  if (grant === null) return NOTHING;
  const { canRead, canReply, canInitiate } = grant;
  const may = [
    ...(canRead ? ['read'] : []),
    ...(canReply ? [grant.replyMode === 'auto' ? 'reply' : 'draft replies for you to send'] : []),
    ...(canInitiate ? ['start conversations'] : []),
  ];
  return may.length === 0 ? NOTHING : listed(may);
}

/** Each option on a line of its own, as the owner set it. */
export function optionLines({ persona, model, quietHours }: GrantOptions): string[] {
  return [
    ...(persona === undefined ? [] : [`Persona: ${persona}`]),
    ...(model === undefined ? [] : [`Model: ${model}`]),
    ...(quietHours === undefined
      ? []
      : [`Quiet from ${quietHours.from} to ${quietHours.to}${inZone(quietHours.zone)}`]),
  ];
}

const inZone = (zone: string | undefined): string => (zone === undefined ? '' : ` (${zone})`);

const listed = (words: readonly string[]): string => {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
};
