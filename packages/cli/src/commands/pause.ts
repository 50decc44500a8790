// `relay pause <id…>`: nothing is sent and no follow-up is due until it is resumed.
import { changing } from '../conversations/change.ts';
import { shortId } from '../conversations/find.ts';
import { contactOf } from '../conversations/words.ts';

export const run = changing(
  'pause',
  (instance) =>
    `${shortId(instance.id)} with ${contactOf(instance)} is paused: nothing is sent until \`relay resume ${shortId(instance.id)}\`.`,
);
