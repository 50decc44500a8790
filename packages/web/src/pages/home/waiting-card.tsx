// What waits for the owner, most urgent first: stopped conversations, approvals, message requests.

import { Button } from '@mantine/core';
import type { Approval } from '@relay/contract/api/approvals';
import type { MessageRequest } from '@relay/contract/api/contacts';
import type { ListedInstance } from '@relay/contract/api/instances';
import { revealHidden } from '@relay/core/messages/text';
import { IconCircleCheck, IconDoor, IconHandStop, IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { addressInCurrentAccount } from '../../data/account.ts';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import {
  messageRequestsQuery,
  needsYouQuery,
  pendingApprovalsQuery,
  statusQuery,
} from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { approvalCopy, approvalReason, approvalText } from '../../parts/approval-copy.ts';
import { formatAgo, formatContact, formatMoment } from '../../parts/format.ts';
import { Badge, Chip, Count, Tile } from '../../parts/marks.tsx';
import { Card, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { SendRisks } from '../../parts/send-risks.tsx';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import { withoutListedApprovals } from './copy.ts';
import classes from './home.module.css';

/** Approvals listed here; for more there is the approvals page. */
const MOST_APPROVALS = 6;

export function WaitingCard() {
  const approvals = useQuery(pendingApprovalsQuery);
  const { data: needing = [] } = useQuery(needsYouQuery);
  const { data: requests = [] } = useQuery(messageRequestsQuery);
  const { data: status } = useQuery(statusQuery);
  const asked = approvals.data ?? [];
  const shown = asked.slice(0, MOST_APPROVALS);
  const stopped = withoutListedApprovals(needing, asked);
  const waiting = Math.max(status?.waiting_count ?? 0, stopped.length + asked.length);
  const more = waiting - stopped.length - shown.length;
  useDigitKeys([
    ...stopped.map(({ id }) => `/conversations/${id}`),
    ...shown.map(({ id }) => `/approvals/${id}`),
    ...(more > 0 ? ['/approvals'] : []),
    ...(requests.length > 0 ? ['/people'] : []),
  ]);
  const first = stopped.length + 1;
  const last = first + shown.length;
  return (
    <Card
      flush
      title={t('home.waiting.title')}
      badge={
        waiting > 0 && <Count n={waiting} says={t('home.waiting.count', { count: waiting })} />
      }
      aside={
        <Link className="small" to="/approvals">
          {t('home.waiting.all')}
        </Link>
      }
    >
      <QueryContent query={approvals} subject={t('common.page.approvals')}>
        {() =>
          waiting + requests.length === 0 ? (
            <NothingWaiting />
          ) : (
            <ul className={`${classes.needs} ${parts.rows}`}>
              {stopped.map((instance, n) => (
                <StoppedConversationItem key={instance.id} n={n + 1} instance={instance} />
              ))}
              {shown.map((approval, n) => (
                <ApprovalItem key={approval.id} n={first + n} approval={approval} />
              ))}
              {more > 0 && <MoreItem n={last} more={more} />}
              {requests.length > 0 && (
                <MessageRequestsItem n={more > 0 ? last + 1 : last} requests={requests} />
              )}
            </ul>
          )
        }
      </QueryContent>
    </Card>
  );
}

/** `1` to `9` open the item at that place, like its link. */
function useDigitKeys(places: readonly string[]) {
  const { history } = useRouter();
  const keys = places
    .slice(0, 9)
    .map((to, n) => [String(n + 1), () => history.push(addressInCurrentAccount(to))] as const);
  useKeys(Object.fromEntries(keys), t('home.waiting.keys'));
}

function NothingWaiting() {
  return (
    <EmptyState icon={IconCircleCheck} hue="ok" title={t('home.waiting.empty')}>
      {t('home.waiting.empty.hint')}
    </EmptyState>
  );
}

interface ItemPlace {
  /** Its place in the list, from 1. */
  readonly n: number;
}

interface WaitingItemProps extends ItemPlace {
  readonly tile: ReactNode;
  readonly title: ReactNode;
  readonly acts: ReactNode;
  readonly children?: ReactNode;
}

function WaitingItem({ n, tile, title, acts, children }: WaitingItemProps) {
  return (
    <li className={classes.need}>
      {tile}
      <div>
        <p className={classes.needTitle}>{title}</p>
        {children}
      </div>
      <div className={classes.needActs}>
        {acts}
        {n < 10 && <KeyHint>{String(n)}</KeyHint>}
      </div>
    </li>
  );
}

function StoppedConversationItem({
  n,
  instance,
}: ItemPlace & { readonly instance: ListedInstance }) {
  const now = useNow(30_000);
  return (
    <WaitingItem
      n={n}
      tile={<Tile hue="you" icon={IconHandStop} />}
      title={
        <>
          <Link className={classes.needLink} to="/conversations/$id" params={{ id: instance.id }}>
            <b dir="auto">{instance.objective}</b>
          </Link>
          <Badge hue="you" icon={IconHandStop}>
            {t('common.conversation.state.NEEDS_HUMAN_INTERVENTION')}
          </Badge>
        </>
      }
      acts={
        <Button component={Link} to={`/conversations/${instance.id}`} size="xs">
          {t('home.waiting.review')}
        </Button>
      }
    >
      <p className="small dim">
        <RichText
          id="home.waiting.conversation"
          values={{ ago: formatAgo(instance.updated_at, now) }}
          components={{
            name: (
              <span dir="auto">
                {instance.contact_name ?? formatContact(instance.target_contact)}
              </span>
            ),
            reason: <Sentence text={instance.reason} />,
          }}
        />
      </p>
    </WaitingItem>
  );
}

function ApprovalItem({ n, approval }: ItemPlace & { readonly approval: Approval }) {
  const now = useNow(30_000);
  const isGone = useIsDaemonGone();
  const invalidates = ['approvals', 'instances', 'status'] as const;
  const path = { id: approval.id };
  const approve = useAction({
    run: () => relay.post('/api/approvals/{id}/approve', { path, body: { shown: approval.shown } }),
    invalidates,
    successMessage: t('home.waiting.approved'),
  });
  const decline = useAction({
    run: () => relay.post('/api/approvals/{id}/reject', { path, body: {} }),
    invalidates,
    successMessage: t('home.waiting.declined'),
  });
  const { question, icon, approveLabel } = approvalCopy(approval);
  const isOff = isGone || approve.isPending || decline.isPending;
  // An approval covers all of it: what does not fit here, such as a picture, is approved on its own page.
  const text = approvalText(approval);
  const isShort =
    text.length <= 280 && text.split('\n').length <= 4 && approval.media?.kind !== 'image';
  return (
    <WaitingItem
      n={n}
      tile={<Tile hue="you" icon={icon} />}
      title={
        <>
          <Link className={classes.needLink} to="/approvals/$id" params={{ id: approval.id }}>
            <b dir="auto">{question}</b>
          </Link>
          <Chip>{t('home.waiting.expires', { time: formatMoment(approval.expires_at, now) })}</Chip>
        </>
      }
      acts={
        isShort ? (
          <>
            <Button size="xs" disabled={isOff} onClick={() => approve.mutate()}>
              {approveLabel}
            </Button>
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              disabled={isOff}
              onClick={() => decline.mutate()}
            >
              {t('common.action.decline')}
            </Button>
          </>
        ) : (
          <Button component={Link} to={`/approvals/${approval.id}`} size="xs" variant="default">
            {t('home.waiting.review')}
          </Button>
        )
      }
    >
      <p className="small dim">
        <Sentence text={approvalReason(approval)} />{' '}
        {approval.when !== null && t('home.waiting.when', { when: approval.when })}
      </p>
      <blockquote dir="auto">{revealHidden(text)}</blockquote>
      <SendRisks risks={approval.risks} />
    </WaitingItem>
  );
}

/** What does not fit here is on the approvals page and on the board. */
function MoreItem({ n, more }: ItemPlace & { readonly more: number }) {
  return (
    <WaitingItem
      n={n}
      tile={<Tile hue="you" icon={IconStack2} />}
      title={<b>{t('home.waiting.more', { count: more })}</b>}
      acts={
        <Button component={Link} to="/approvals" size="xs" variant="default">
          {t('home.waiting.viewAll')}
        </Button>
      }
    />
  );
}

function MessageRequestsItem({
  n,
  requests,
}: ItemPlace & { readonly requests: readonly MessageRequest[] }) {
  const messages = requests.reduce((sum, { count }) => sum + count, 0);
  return (
    <WaitingItem
      n={n}
      tile={<Tile hue="parked" icon={IconDoor} />}
      title={<b>{t('home.waiting.requests', { count: requests.length })}</b>}
      acts={
        <Button component={Link} to="/people" size="xs" variant="default">
          {t('home.waiting.requests.view')}
        </Button>
      }
    >
      <p className="small dim">{t('home.waiting.requests.hint', { count: messages })}</p>
    </WaitingItem>
  );
}
