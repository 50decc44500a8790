// `relay resume <id…>`: goes on where it was paused, or after it asked for its owner.
import { STATES } from '@relay/core/conversation/states';
import { changing } from '../conversations/change.ts';
import { shortId } from '../conversations/find.ts';
import { contactOf, needsOwner } from '../conversations/words.ts';

export const run = changing('resume', (instance) => {
  const id = shortId(instance.id);
  const who = `${id} with ${contactOf(instance)}`;
  return needsOwner(instance)
    ? `${who} is not paused any more. ${STATES[instance.state]}`
    : `${who} goes on (${instance.state}). ${STATES[instance.state]} \`relay transcript ${id} -f\` follows it.`;
});
