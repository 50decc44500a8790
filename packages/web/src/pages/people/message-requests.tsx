// Message requests: who wrote without a grant, how often and when. The text is shown only on request.
import { Button } from '@mantine/core';
import type { MessageRequest } from '@relay/contract/api/contacts';
import { revealHidden } from '@relay/core/messages/text';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { messageRequestsQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import {
  contactLabel,
  formatMoment,
  formatPhoneNumber,
  UNKNOWN_PERSON,
} from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { Count } from '../../parts/marks.tsx';
import { Card, Note } from '../../parts/page.tsx';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { messageRequestSender, messageRequestTimes } from './copy.ts';
import classes from './knocks.module.css';
import shared from './people.module.css';
import { peekQuery } from './queries.ts';
import { GRANT_TOUCHES } from './use-grant.tsx';

const REQUESTS_SHOWN = 5;

export function MessageRequestsCard() {
  const { data: knocks = [] } = useQuery(messageRequestsQuery);
  const [isWhole, setWhole] = useState(false);
  const now = useNow(30_000);
  if (knocks.length === 0) return null;
  const shown = isWhole ? knocks : knocks.slice(0, REQUESTS_SHOWN);
  return (
    <Card
      flush
      className={shared.card ?? ''}
      title="Knocked"
      badge={<Count n={knocks.length} hue="parked" says={`${knocks.length} in all`} />}
      aside={
        <span className="small dim">They wrote and nobody was home. No agent has read them.</span>
      }
    >
      <ul className={classes.knocks} aria-label="Who knocked">
        {shown.map((knock) => (
          <MessageRequestRow key={knock.contact_id} knock={knock} now={now} />
        ))}
      </ul>
      {knocks.length > shown.length && (
        <p className={classes.more}>
          <button type="button" className="link small" onClick={() => setWhole(true)}>
            Show all {knocks.length}
          </button>
        </p>
      )}
    </Card>
  );
}

function MessageRequestRow({
  knock,
  now,
}: {
  readonly knock: MessageRequest;
  readonly now: number;
}) {
  const [isPeeking, setPeeking] = useState(false);
  const isGone = useIsDaemonGone();
  const number = knock.phone_number === null ? null : formatPhoneNumber(knock.phone_number);
  // A self-chosen profile name is not trusted, so the number is shown instead.
  const name = knock.calls_itself ? (number ?? UNKNOWN_PERSON) : contactLabel(knock);
  const allow = useAction({
    run: () =>
      relay.post('/api/whatsapp/permissions', {
        body: {
          contactId: knock.contact_id,
          canRead: true,
          replyMode: 'draft',
        },
      }),
    invalidates: GRANT_TOUCHES,
    successMessage: `Relay may read ${name} from now on. It does not answer.`,
  });
  const dismiss = useAction({
    run: () => relay.post('/api/knocks/{contact}/dismiss', { path: { contact: knock.contact_id } }),
    invalidates: ['knocks', 'contacts', 'status'],
    successMessage: `${name} stays closed. Whoever writes again is shown again.`,
  });
  const isOff = isGone || allow.isPending || dismiss.isPending;
  return (
    <li>
      <div className={classes.knock}>
        <Initials name={knock.calls_itself ? null : knock.name} />
        <div>
          <b dir="auto" className="num">
            {name}
          </b>
          <p className="small dim" dir="auto">
            {messageRequestSender(knock, number)}
          </p>
        </div>
        <p className="small dim num">{messageRequestTimes(knock, now)}</p>
        <div className={classes.acts}>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            leftSection={isPeeking ? <IconEyeOff size={16} /> : <IconEye size={16} />}
            aria-expanded={isPeeking}
            aria-label={`Peek at what ${name} wrote`}
            onClick={() => setPeeking(!isPeeking)}
          >
            Peek
          </Button>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            disabled={isOff}
            aria-label={`Dismiss ${name}`}
            onClick={() => dismiss.mutate()}
          >
            Dismiss
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={isOff}
            loading={allow.isPending}
            aria-label={`Allow reading ${name}`}
            onClick={() => allow.mutate()}
          >
            Allow reading
          </Button>
        </div>
      </div>
      {isPeeking && <MessageRequestPeek knock={knock} now={now} />}
    </li>
  );
}

// Shows the owner the text of a message request on request. It changes nothing: no agent or model reads it, and the
// sender is not notified.

const MOST_PEEKED = 20;

function MessageRequestPeek({
  knock,
  now,
}: {
  readonly knock: MessageRequest;
  readonly now: number;
}) {
  const { phone_number: phone, lid, count } = knock;
  const jid = phone === null ? `${lid ?? ''}@lid` : `${phone}@s.whatsapp.net`;
  const peek = useQuery(peekQuery(jid, Math.min(count, MOST_PEEKED)));
  return (
    <div className={classes.peek}>
      <Note hue="parked" icon={IconEye}>
        Only you see this. No agent or model reads it, they are not told that you looked, and they
        stay closed.
      </Note>
      <QueryContent query={peek} subject="What they wrote" loading={<LoadingLines lines={2} />}>
        {({ messages }) => {
          const theirs = messages.filter(({ fromMe }) => !fromMe);
          return theirs.length === 0 ? (
            <p className="small dim">Nothing of it is kept any more.</p>
          ) : (
            <ol>
              {theirs.map(({ id, body, timestamp }) => (
                <li key={id}>
                  <time className="small dim num" dateTime={new Date(timestamp).toISOString()}>
                    {formatMoment(timestamp, now)}
                  </time>
                  <p dir="auto">{body === '' ? 'Something without words.' : revealHidden(body)}</p>
                </li>
              ))}
            </ol>
          );
        }}
      </QueryContent>
    </div>
  );
}
