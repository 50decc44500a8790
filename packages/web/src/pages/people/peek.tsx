// The words of somebody who knocked, for the owner's eyes and at the owner's wish. It changes nothing: no agent reads
// them, no model is asked, and whoever wrote is not told.

import type { Knock } from '@relay/core/api/contacts';
import { visible } from '@relay/core/messages/visible';
import { IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Note } from '../../parts/note.tsx';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import { moment } from '../../parts/times.ts';
import classes from './knocks.module.css';
import { peekQuery } from './queries.ts';

const MOST = 20;

export function Peek({ knock, now }: { readonly knock: Knock; readonly now: number }) {
  const { phone_number: phone, lid, count } = knock;
  const jid = phone === null ? `${lid ?? ''}@lid` : `${phone}@s.whatsapp.net`;
  const peek = useQuery(peekQuery(jid, Math.min(count, MOST)));
  return (
    <div className={classes.peek}>
      <Note hue="parked" icon={IconEye}>
        Only you see this. No agent or model reads it, they are not told that you looked, and they
        stay closed.
      </Note>
      <Asked query={peek} what="What they wrote" loading={<LoadingLines lines={2} />}>
        {({ messages }) => {
          const theirs = messages.filter(({ fromMe }) => !fromMe);
          return theirs.length === 0 ? (
            <p className="small dim">Nothing of it is kept any more.</p>
          ) : (
            <ol>
              {theirs.map(({ id, body, timestamp }) => (
                <li key={id}>
                  <time className="small dim num" dateTime={new Date(timestamp).toISOString()}>
                    {moment(timestamp, now)}
                  </time>
                  <p dir="auto">{body === '' ? 'Something without words.' : visible(body)}</p>
                </li>
              ))}
            </ol>
          );
        }}
      </Asked>
    </div>
  );
}
