// What beginning with this person means, as far as the daemon knows it now.

import { isTerminal } from '@relay/core/conversation/states';
import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../../data/queries.ts';
import { useNow } from '../../data/use-now.ts';
import type { Recipient } from './draft.ts';
import classes from './new-conversation.module.css';
import { openWithQuery, peopleQuery } from './queries.ts';
import { saidOf } from './recipient-words.ts';

export function RecipientNotes({ recipient }: { readonly recipient: Recipient }) {
  const now = useNow(30_000);
  const { data: status } = useQuery(statusQuery);
  const found = useQuery(peopleQuery(recipient.id ?? `+${recipient.phone}`));
  const contact = found.data?.contacts.find(
    ({ id, phone_number: phone }) => id === recipient.id || phone === recipient.phone,
  );
  const { data: open = [] } = useQuery({
    ...openWithQuery(contact?.id ?? ''),
    enabled: contact !== undefined,
  });
  if (status === undefined || found.data === undefined) return null;
  const running = open.find(({ state }) => !isTerminal(state)) ?? null;
  const said = saidOf({ recipient, contact: contact ?? null, running, status, now });
  return (
    <ul className={classes.said} aria-label="What this means">
      {said.map(({ hue, text }) => (
        <li key={text} data-hue={hue} dir="auto">
          {text}
        </li>
      ))}
    </ul>
  );
}
