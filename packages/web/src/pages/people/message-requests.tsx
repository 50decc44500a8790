// Message requests: who wrote without a grant, how often and when. The text is shown only if the owner asks for it.
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
import { t } from '../../i18n.ts';
import { contactLabel, formatMoment, formatPhoneNumber } from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { Count } from '../../parts/marks.tsx';
import { Card, Note } from '../../parts/page.tsx';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { messageRequestSender, messageRequestTimes } from './copy.ts';
import classes from './message-requests.module.css';
import shared from './people.module.css';
import { latestMessagesQuery } from './queries.ts';
import { GRANT_QUERIES } from './use-grant.tsx';

const REQUESTS_SHOWN = 5;

export function MessageRequestsCard() {
  const { data: requests = [] } = useQuery(messageRequestsQuery);
  const [showsAll, setShowsAll] = useState(false);
  const now = useNow(30_000);
  if (requests.length === 0) return null;
  const shown = showsAll ? requests : requests.slice(0, REQUESTS_SHOWN);
  const count = requests.length;
  return (
    <Card
      flush
      className={shared.card ?? ''}
      title={t('people.requests.title')}
      badge={<Count n={count} hue="parked" says={t('people.requests.count', { count })} />}
      aside={<span className="small dim">{t('people.requests.note')}</span>}
    >
      <ul className={classes.requests} aria-label={t('people.requests.title')}>
        {shown.map((request) => (
          <MessageRequestRow key={request.contact_id} request={request} now={now} />
        ))}
      </ul>
      {count > shown.length && (
        <p className={classes.more}>
          <button type="button" className="link small" onClick={() => setShowsAll(true)}>
            {t('people.requests.showAll', { count })}
          </button>
        </p>
      )}
    </Card>
  );
}

interface MessageRequestProps {
  readonly request: MessageRequest;
  readonly now: number;
}

function MessageRequestRow({ request, now }: MessageRequestProps) {
  const [isViewing, setViewing] = useState(false);
  const isGone = useIsDaemonGone();
  const number = request.phone_number === null ? null : formatPhoneNumber(request.phone_number);
  // A self-chosen profile name is not trusted, so the number is shown instead.
  const name = request.calls_itself ? (number ?? t('common.unknownPerson')) : contactLabel(request);
  const allow = useAction({
    run: () =>
      relay.post('/api/whatsapp/permissions', {
        body: {
          contactId: request.contact_id,
          canRead: true,
          replyMode: 'draft',
        },
      }),
    invalidates: GRANT_QUERIES,
    successMessage: t('people.requests.allowed', { name }),
  });
  const dismiss = useAction({
    run: () =>
      relay.post('/api/knocks/{contact}/dismiss', { path: { contact: request.contact_id } }),
    invalidates: ['knocks', 'contacts', 'status'],
    successMessage: t('people.requests.dismissed', { name }),
  });
  const isOff = isGone || allow.isPending || dismiss.isPending;
  return (
    <li>
      <div className={classes.request}>
        <Initials name={request.calls_itself ? null : request.name} />
        <div>
          <b dir="auto" className="num">
            {name}
          </b>
          <p className="small dim" dir="auto">
            {messageRequestSender(request, number)}
          </p>
        </div>
        <p className="small dim num">{messageRequestTimes(request, now)}</p>
        <div className={classes.acts}>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            leftSection={isViewing ? <IconEyeOff size={16} /> : <IconEye size={16} />}
            aria-expanded={isViewing}
            aria-label={t('people.requests.viewFrom', { name })}
            onClick={() => setViewing(!isViewing)}
          >
            {t('people.requests.view')}
          </Button>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            disabled={isOff}
            aria-label={t('people.requests.dismissFrom', { name })}
            onClick={() => dismiss.mutate()}
          >
            {t('common.action.dismiss')}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={isOff}
            loading={allow.isPending}
            aria-label={t('people.requests.allowReadingFrom', { name })}
            onClick={() => allow.mutate()}
          >
            {t('people.requests.allowReading')}
          </Button>
        </div>
      </div>
      {isViewing && <RequestedMessages request={request} now={now} />}
    </li>
  );
}

// Shows the owner the messages of a message request. It changes nothing: no agent or model reads them, and the sender
// is not notified.

const MESSAGES_SHOWN = 20;

function RequestedMessages({ request, now }: MessageRequestProps) {
  const { phone_number: phone, lid, count } = request;
  const jid = phone === null ? `${lid ?? ''}@lid` : `${phone}@s.whatsapp.net`;
  const latest = useQuery(latestMessagesQuery(jid, Math.min(count, MESSAGES_SHOWN)));
  return (
    <div className={classes.messages}>
      <Note hue="parked" icon={IconEye}>
        {t('people.requests.viewNote')}
      </Note>
      <QueryContent
        query={latest}
        subject={t('people.requests.messages')}
        loading={<LoadingLines lines={2} />}
      >
        {({ messages }) => {
          const received = messages.filter(({ fromMe }) => !fromMe);
          return received.length === 0 ? (
            <p className="small dim">{t('people.requests.noLongerStored')}</p>
          ) : (
            <ol>
              {received.map(({ id, body, timestamp }) => (
                <li key={id}>
                  <time className="small dim num" dateTime={new Date(timestamp).toISOString()}>
                    {formatMoment(timestamp, now)}
                  </time>
                  <p dir="auto">{body === '' ? t('people.requests.noText') : revealHidden(body)}</p>
                </li>
              ))}
            </ol>
          );
        }}
      </QueryContent>
    </div>
  );
}
