// `relay resume <id…>`: goes on where it was paused, or after it asked for its owner.
import { STATES } from '@relay/core/conversation/states';
import { changing } from '../conversations/change.ts';
import { shortId } from '../conversations/find.ts';
import { contactOf } from '../conversations/words.ts';

export const run = changing(
  'resume',
  (instance) =>
    `${shortId(instance.id)} with ${contactOf(instance)} goes on (${instance.state}). ${STATES[instance.state]} \`relay transcript ${shortId(instance.id)} -f\` follows it.`,
);
