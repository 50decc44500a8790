// `relay cancel <id…>`: ends conversations at once; the contacts are told nothing.
import { changing } from '../conversations/change.ts';
import { shortId } from '../conversations/find.ts';
import { contactOf } from '../conversations/words.ts';

export const run = changing(
  'cancel',
  (instance) =>
    `${shortId(instance.id)} with ${contactOf(instance)} is cancelled (${instance.state}); no farewell was sent. \`relay transcript ${shortId(instance.id)}\` keeps what was said.`,
);
