// The schedules page: upcoming ones first, requests that wait for an approval above them, past ones behind a filter.
import { Button, Modal, SegmentedControl } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Schedule } from '@relay/contract/api/schedules';
import { revealHidden } from '@relay/core/messages/text';
import { describeCatchUp } from '@relay/core/schedule/format';
import { IconCalendarPlus, IconCalendarTime, IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { linkQuery, pendingApprovalsQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { approvalCopy, approvalReason } from '../../parts/approval-copy.ts';
import { formatSpan } from '../../parts/format.ts';
import { Badge, Chip, Count, Tile } from '../../parts/marks.tsx';
import { Card, Page, Sentence } from '../../parts/page.tsx';
import { EmptyState, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
import { readSchedulesSearch } from '../../search-params.ts';
import { askToConfirm } from '../../shell/dialog.tsx';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import {
  cancelText,
  dayAndTime,
  runDisplay,
  runReason,
  scheduleRecipient,
  schedulesSentence,
  timeForYou,
  timeInZone,
} from './copy.ts';
import { NewScheduleForm } from './new-schedule.tsx';
import { SCHEDULES_PAGE_SIZE, schedulesQuery } from './queries.ts';
import classes from './schedules.module.css';

export function SchedulesScreen() {
  const now = useNow(10_000);
  const coming = useQuery(schedulesQuery('active', 1));
  const [isMaking, { open, close }] = useDisclosure();
  useKeys({ n: open }, 'New schedule');
  const make = (
    <Button
      leftSection={<IconCalendarPlus size={17} stroke={1.7} aria-hidden />}
      rightSection={<KeyHint>N</KeyHint>}
      aria-keyshortcuts="n"
      onClick={open}
    >
      New schedule
    </Button>
  );
  const shown = coming.data?.slice(0, SCHEDULES_PAGE_SIZE) ?? [];
  const hasMore = (coming.data?.length ?? 0) > SCHEDULES_PAGE_SIZE;
  return (
    <Page
      title="Schedules"
      sentence={
        coming.data === undefined
          ? 'What will happen when?'
          : schedulesSentence(shown, hasMore, now)
      }
      summary="Each message leaves as the clocks of its zone show it, through the same gate as everything else."
      actions={make}
    >
      <ScheduleApprovalsCard />
      <SchedulesCard now={now} onNew={open} />
      <Modal
        opened={isMaking}
        onClose={close}
        size="lg"
        title="New schedule"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <NewScheduleForm onDone={close} />
      </Modal>
    </Page>
  );
}

function SchedulesCard({ now, onNew }: { readonly now: number; onNew(): void }) {
  const { show, page = 1 } = readSchedulesSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const state = show ?? 'active';
  const schedules = useQuery(schedulesQuery(state, page));
  return (
    <Card
      flush
      className={classes.card ?? ''}
      title={state === 'active' ? 'Next' : 'Over'}
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Which schedules"
          value={state}
          onChange={(next) =>
            void navigate({
              to: '/schedules',
              search: next === 'past' ? { show: next } : {},
              resetScroll: false,
            })
          }
          data={[
            { value: 'active', label: 'To come' },
            { value: 'past', label: 'Past' },
          ]}
        />
      }
    >
      <QueryContent query={schedules} subject="The schedules" loading={<LoadingRows rows={4} />}>
        {(found) =>
          found.length === 0 ? (
            <NoSchedules state={state} onNew={onNew} />
          ) : (
            <>
              <ul className={classes.rows}>
                {found.slice(0, SCHEDULES_PAGE_SIZE).map((schedule) => (
                  <ScheduleItem key={schedule.id} schedule={schedule} now={now} />
                ))}
              </ul>
              <PageButtons
                page={page}
                hasMore={found.length > SCHEDULES_PAGE_SIZE}
                onPage={(next) =>
                  void navigate({
                    to: '/schedules',
                    search: { show, page: next === 1 ? undefined : next },
                  })
                }
              />
            </>
          )
        }
      </QueryContent>
    </Card>
  );
}

interface PageButtonsProps {
  readonly page: number;
  readonly hasMore: boolean;
  onPage(page: number): void;
}

function PageButtons({ page, hasMore, onPage }: PageButtonsProps): ReactNode {
  if (page === 1 && !hasMore) return null;
  return (
    <nav className={classes.turn} aria-label="Pages of schedules">
      <Button variant="default" size="xs" disabled={page === 1} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <Button variant="default" size="xs" disabled={!hasMore} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  );
}

function NoSchedules({ state, onNew }: { readonly state: 'active' | 'past'; onNew(): void }) {
  if (state === 'past')
    return <EmptyState icon={IconHistory} title="Nothing was scheduled and is over yet." />;
  return (
    <EmptyState
      icon={IconCalendarTime}
      title="Nothing is scheduled."
      action={
        <Button variant="default" onClick={onNew}>
          Schedule a message
        </Button>
      }
    >
      A message for later, once or again and again, leaves by itself when its time comes.
    </EmptyState>
  );
}

// One schedule: next run, recipient, text, recurrence, creator, and the result of the last run.

interface ScheduleItemProps {
  readonly schedule: Schedule;
  readonly now: number;
}

function ScheduleItem({ schedule, now }: ScheduleItemProps) {
  const whom = useRecipient(schedule);
  const [next] = schedule.next;
  const forYou = next === undefined ? null : timeForYou(schedule.zone, next, now);
  return (
    <li className={classes.row}>
      <NextRun schedule={schedule} now={now} />
      <div className={classes.what}>
        <p>
          <b dir="auto">To {whom}</b> <span className="dim small">{schedule.words}</span>
        </p>
        <blockquote dir="auto">{revealHidden(schedule.text)}</blockquote>
        <p className={classes.facts}>
          <MadeByChip schedule={schedule} />
          {next !== undefined && <Chip>{describeCatchUp(schedule.rule, schedule.catch_up)}</Chip>}
          {forYou !== null && <Chip>{forYou}</Chip>}
        </p>
        <LastResult schedule={schedule} now={now} />
      </div>
      <CancelButton schedule={schedule} now={now} />
    </li>
  );
}

function useRecipient(schedule: Schedule): string {
  const { data: link } = useQuery(linkQuery);
  return scheduleRecipient(schedule, link?.phone ?? null);
}

function NextRun({ schedule: { next, zone, state, last, created_at }, now }: ScheduleItemProps) {
  const [first] = next;
  if (first === undefined) {
    return (
      <div className={classes.when}>
        <b>{state === 'cancelled' ? 'Cancelled' : 'Over'}</b>
        <span className="small dim num">{timeInZone(zone, last?.at ?? created_at, now)}</span>
      </div>
    );
  }
  const { day, time } = dayAndTime(zone, first, now);
  const wait = Date.parse(first) - now;
  return (
    <div className={classes.when}>
      <time dateTime={first}>
        <span className="small dim">{day}</span>
        <b className="num">{time}</b>
      </time>
      <span className="small dim num">{wait <= 0 ? 'now' : `in ${formatSpan(wait)}`}</span>
    </div>
  );
}

function MadeByChip({ schedule: { created_by, who } }: { readonly schedule: Schedule }) {
  const [kind, id = ''] = created_by.split(':');
  if (kind === 'conversation') {
    return (
      <Chip>
        made by{' '}
        <Link to="/conversations/$id" params={{ id }} dir="auto">
          {who}
        </Link>
      </Chip>
    );
  }
  return (
    <Chip>
      <span dir="auto">made by {who}</span>
    </Chip>
  );
}

function LastResult({ schedule: { last, zone }, now }: ScheduleItemProps) {
  if (last === null) return null;
  const { word, hue, icon } = runDisplay(last);
  const reason = runReason(last);
  return (
    <p className={classes.result}>
      <Badge hue={hue} icon={icon}>
        {word}
      </Badge>
      <span className="small dim">
        {timeInZone(zone, last.last_due_at, now)}
        {reason !== null && (
          <>
            {': '}
            <Sentence text={reason} />
          </>
        )}{' '}
        {last.approval_id !== null && (
          <Link to="/approvals/$id" params={{ id: last.approval_id }}>
            Decide
          </Link>
        )}
      </span>
    </p>
  );
}

function CancelButton({ schedule, now }: ScheduleItemProps) {
  const isGone = useIsDaemonGone();
  const whom = useRecipient(schedule);
  const cancel = useAction({
    run: () => relay.delete('/api/schedules/{id}', { path: { id: schedule.id } }),
    invalidates: ['schedules', 'approvals', 'status'],
    successMessage: `Cancelled. Nothing more goes to ${whom} from it.`,
  });
  const isOnItsWay =
    schedule.last?.message_state === 'pending' || schedule.last?.approval_id != null;
  if (schedule.state !== 'active' && !(schedule.state === 'done' && isOnItsWay)) return <span />;
  const askFirst = () =>
    askToConfirm({
      title: `Cancel what goes to ${whom}?`,
      body: cancelText(schedule, whom, now),
      confirmLabel: 'Cancel it',
      cancelLabel: 'Keep it',
      isDestructive: true,
      onConfirm: () => cancel.mutate(),
    });
  return (
    <Button
      variant="default"
      size="xs"
      onClick={askFirst}
      disabled={isGone}
      loading={cancel.isPending}
      aria-label={`Cancel what goes to ${whom}, ${schedule.words}`}
    >
      Cancel
    </Button>
  );
}

// Requested schedules that wait for an approval: until then they are not schedules.

function ScheduleApprovalsCard() {
  const { data: approvals = [] } = useQuery(pendingApprovalsQuery);
  const asked = approvals.filter(({ kind }) => kind === 'schedule_message');
  if (asked.length === 0) return null;
  return (
    <Card
      flush
      className={classes.card ?? ''}
      title="Waits for your yes"
      badge={<Count n={asked.length} says={`${asked.length} in all`} />}
    >
      <ul className={classes.waiting}>
        {asked.map((approval) => (
          <li key={approval.id}>
            <Tile hue="you" icon={IconCalendarPlus} />
            <div>
              <b dir="auto">{approvalCopy(approval).question}</b>
              <p className="small dim">
                <Sentence text={approvalReason(approval)} />
              </p>
              <blockquote dir="auto">{revealHidden(approval.text)}</blockquote>
            </div>
            <Button
              component={Link}
              to={`/approvals/${approval.id}`}
              size="xs"
              variant="default"
              aria-label={`Decide: ${approvalCopy(approval).question}`}
            >
              Decide
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
