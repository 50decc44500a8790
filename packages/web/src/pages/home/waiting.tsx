// What waits for the owner, the most pressing first: conversations that stopped, approvals, people who knocked.

import { Button } from '@mantine/core';
import type { Approval } from '@relay/core/api/approvals';
import type { Knock } from '@relay/core/api/contacts';
import type { ListedInstance } from '@relay/core/api/instances';
import { readHere } from '@relay/core/approvals/read-here';
import { visible } from '@relay/core/messages/visible';
import { IconCircleCheck, IconDoor, IconHandStop, IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { approvalsQuery, knocksQuery, needingYouQuery, statusQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { approvalWords, whyAsked } from '../../parts/approval-words.ts';
import { Card } from '../../parts/card.tsx';
import { Badge, Chip, Count, Tile } from '../../parts/marks.tsx';
import { named, plural } from '../../parts/numbers.ts';
import parts from '../../parts/parts.module.css';
import { Asked, Empty } from '../../parts/places.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { ago, moment } from '../../parts/times.ts';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import classes from './home.module.css';
import { onceEach } from './words.ts';

/** Of approvals; nobody answers more in a row without opening their page. */
const MOST = 6;

export function WaitingCard() {
  const approvals = useQuery(approvalsQuery);
  const { data: needing = [] } = useQuery(needingYouQuery);
  const { data: knocks = [] } = useQuery(knocksQuery);
  const { data: status } = useQuery(statusQuery);
  const asked = approvals.data ?? [];
  const shown = asked.slice(0, MOST);
  const stopped = onceEach(needing, asked);
  const waiting = Math.max(status?.waiting_count ?? 0, stopped.length + asked.length);
  const more = waiting - stopped.length - shown.length;
  useOpening([
    ...stopped.map(({ id }) => `/conversations/${id}`),
    ...shown.map(({ id }) => `/approvals/${id}`),
    ...(more > 0 ? ['/approvals'] : []),
    ...(knocks.length > 0 ? ['/people'] : []),
  ]);
  const first = stopped.length + 1;
  const last = first + shown.length;
  return (
    <Card
      flush
      title="Waiting for you"
      mark={waiting > 0 && <Count n={waiting} says={`${waiting} in all`} />}
      aside={
        <Link className="small" to="/approvals">
          All approvals
        </Link>
      }
    >
      <Asked query={approvals} what="What waits for you">
        {() =>
          waiting + knocks.length === 0 ? (
            <NothingWaits />
          ) : (
            <ul className={`${classes.needs} ${parts.rows}`}>
              {stopped.map((instance, n) => (
                <Stopped key={instance.id} n={n + 1} instance={instance} />
              ))}
              {shown.map((approval, n) => (
                <ToApprove key={approval.id} n={first + n} approval={approval} />
              ))}
              {more > 0 && <More n={last} more={more} />}
              {knocks.length > 0 && <Knocked n={more > 0 ? last + 1 : last} knocks={knocks} />}
            </ul>
          )
        }
      </Asked>
    </Card>
  );
}

/** `1` to `9` open what stands there, as its link does. */
function useOpening(places: readonly string[]) {
  const { history } = useRouter();
  const keys = places.slice(0, 9).map((to, n) => [String(n + 1), () => history.push(to)] as const);
  useKeys(Object.fromEntries(keys), 'Open what waits, by its place');
}

function NothingWaits() {
  return (
    <Empty icon={IconCircleCheck} hue="ok" title="Nothing waits for you.">
      Relay will ask here when it needs a yes.
    </Empty>
  );
}

interface Placed {
  /** Its place in the list, from 1. */
  readonly n: number;
}

interface NeedProps extends Placed {
  readonly tile: ReactNode;
  readonly title: ReactNode;
  readonly acts: ReactNode;
  readonly children: ReactNode;
}

function Need({ n, tile, title, acts, children }: NeedProps) {
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

function Stopped({ n, instance }: Placed & { readonly instance: ListedInstance }) {
  const now = useNow(30_000);
  return (
    <Need
      n={n}
      tile={<Tile hue="you" icon={IconHandStop} />}
      title={
        <>
          <Link className={classes.needLink} to="/conversations/$id" params={{ id: instance.id }}>
            <b dir="auto">{instance.objective}</b>
          </Link>
          <Badge hue="you" icon={IconHandStop}>
            Needs you
          </Badge>
        </>
      }
      acts={
        <Button component={Link} to={`/conversations/${instance.id}`} size="xs">
          Decide
        </Button>
      }
    >
      <p className="small dim">
        With <span dir="auto">{instance.contact_name ?? named(instance.target_contact)}</span>.{' '}
        <Sentence text={readHere(instance.reason)} /> {ago(instance.updated_at, now)}.
      </p>
    </Need>
  );
}

function ToApprove({ n, approval }: Placed & { readonly approval: Approval }) {
  const now = useNow(30_000);
  const isGone = useIsGone();
  const touches = ['approvals', 'instances', 'status'] as const;
  const path = { id: approval.id };
  const approve = useAct({
    act: () => relay.post('/api/approvals/{id}/approve', { path, body: { shown: approval.shown } }),
    touches,
    done: 'Approved.',
  });
  const decline = useAct({
    act: () => relay.post('/api/approvals/{id}/reject', { path, body: {} }),
    touches,
    done: 'Declined. Nothing was sent.',
  });
  const { question, icon, yes } = approvalWords(approval);
  const isOff = isGone || approve.isPending || decline.isPending;
  // A yes is to the whole text: what does not fit here is looked at on its own page.
  const isShort = approval.text.length <= 280 && approval.text.split('\n').length <= 4;
  return (
    <Need
      n={n}
      tile={<Tile hue="you" icon={icon} />}
      title={
        <>
          <Link className={classes.needLink} to="/approvals/$id" params={{ id: approval.id }}>
            <b dir="auto">{question}</b>
          </Link>
          <Chip>expires {moment(approval.expires_at, now)}</Chip>
        </>
      }
      acts={
        isShort ? (
          <>
            <Button size="xs" disabled={isOff} onClick={() => approve.mutate()}>
              {yes}
            </Button>
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              disabled={isOff}
              onClick={() => decline.mutate()}
            >
              Decline
            </Button>
          </>
        ) : (
          <Button component={Link} to={`/approvals/${approval.id}`} size="xs" variant="default">
            Review
          </Button>
        )
      }
    >
      <p className="small dim">
        <Sentence text={whyAsked(approval)} />
        {approval.when !== null && ` When: ${approval.when}.`}
      </p>
      <blockquote dir="auto">{visible(approval.text)}</blockquote>
    </Need>
  );
}

/** What does not fit here is on the page of approvals and on the board. */
function More({ n, more }: Placed & { readonly more: number }) {
  return (
    <Need
      n={n}
      tile={<Tile hue="you" icon={IconStack2} />}
      title={<b>{plural(more, 'more thing waits', 'more things wait')} for you</b>}
      acts={
        <Button component={Link} to="/approvals" size="xs" variant="default">
          See all
        </Button>
      }
    >
      <p className="small dim">The longest waiting stand here.</p>
    </Need>
  );
}

function Knocked({ n, knocks }: Placed & { readonly knocks: readonly Knock[] }) {
  const messages = knocks.reduce((sum, { count }) => sum + count, 0);
  return (
    <Need
      n={n}
      tile={<Tile hue="parked" icon={IconDoor} />}
      title={<b>{plural(knocks.length, 'person', 'people')} knocked</b>}
      acts={
        <Button component={Link} to="/people" size="xs" variant="default">
          See who
        </Button>
      }
    >
      <p className="small dim">
        {plural(messages, 'message')} from people nobody opened. No agent has read them.
      </p>
    </Need>
  );
}
