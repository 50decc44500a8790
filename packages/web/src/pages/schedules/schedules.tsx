// The schedules page: upcoming ones first, requests that wait for an approval above them, past ones behind a filter.
import { Button, Modal, SegmentedControl } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Schedule } from '@relay/contract/api/schedules';
import { revealHidden } from '@relay/core/messages/text';
import { IconCalendarPlus, IconCalendarTime, IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { linkQuery, pendingApprovalsQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { approvalCopy, approvalReason } from '../../parts/approval-copy.ts';
import { formatSpan } from '../../parts/format.ts';
import { Badge, Chip, Count, Tile } from '../../parts/marks.tsx';
import { Card, Page, Sentence } from '../../parts/page.tsx';
import { EmptyState, LoadingRows, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { readSchedulesSearch } from '../../search-params.ts';
import { askToConfirm } from '../../shell/dialog.tsx';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import {
  cancelText,
  catchUpText,
  dayAndTime,
  ownTime,
  type RecipientValues,
  ruleText,
  runDisplay,
  runReason,
  scheduleRecipient,
  schedulesSummary,
} from './copy.ts';
import { NewScheduleForm } from './new-schedule.tsx';
import { SCHEDULES_PAGE_SIZE, schedulesQuery } from './queries.ts';
import classes from './schedules.module.css';

export function SchedulesScreen() {
  const now = useNow(10_000);
  const active = useQuery(schedulesQuery('active', 1));
  const [isCreating, { open, close }] = useDisclosure();
  useKeys({ n: open }, t('schedules.new'));
  const newButton = (
    <Button
      leftSection={<IconCalendarPlus size={17} stroke={1.7} aria-hidden />}
      rightSection={<KeyHint>N</KeyHint>}
      aria-keyshortcuts="n"
      onClick={open}
    >
      {t('schedules.new')}
    </Button>
  );
  const shown = active.data?.slice(0, SCHEDULES_PAGE_SIZE) ?? [];
  const hasMore = (active.data?.length ?? 0) > SCHEDULES_PAGE_SIZE;
  return (
    <Page
      title={t('common.page.schedules')}
      summary={active.data && schedulesSummary(shown, hasMore, now)}
      actions={newButton}
    >
      <ScheduleApprovalsCard />
      <SchedulesCard now={now} onNew={open} />
      <Modal
        opened={isCreating}
        onClose={close}
        size="lg"
        title={t('schedules.new')}
        closeButtonProps={{ 'aria-label': t('common.action.close') }}
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
      title={t(`schedules.list.${state}`)}
      aside={
        <SegmentedControl
          size="xs"
          aria-label={t('schedules.list.filter')}
          value={state}
          onChange={(next) =>
            void navigate({
              to: '/schedules',
              search: next === 'past' ? { show: next } : {},
              resetScroll: false,
            })
          }
          data={[
            { value: 'active', label: t('schedules.list.active') },
            { value: 'past', label: t('schedules.list.past') },
          ]}
        />
      }
    >
      <QueryContent
        query={schedules}
        subject={t('common.page.schedules')}
        loading={<LoadingRows rows={4} />}
      >
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
    <nav className={classes.turn} aria-label={t('schedules.list.pages')}>
      <Button variant="default" size="xs" disabled={page === 1} onClick={() => onPage(page - 1)}>
        {t('common.action.previous')}
      </Button>
      <Button variant="default" size="xs" disabled={!hasMore} onClick={() => onPage(page + 1)}>
        {t('common.action.next')}
      </Button>
    </nav>
  );
}

function NoSchedules({ state, onNew }: { readonly state: 'active' | 'past'; onNew(): void }) {
  if (state === 'past')
    return <EmptyState icon={IconHistory} title={t('schedules.empty.past.title')} />;
  return (
    <EmptyState
      icon={IconCalendarTime}
      title={t('schedules.empty.active.title')}
      action={
        <Button variant="default" onClick={onNew}>
          {t('schedules.empty.active.action')}
        </Button>
      }
    >
      {t('schedules.empty.active.text')}
    </EmptyState>
  );
}

// One schedule: next run, recipient, text, recurrence, creator, and the result of the last run.

interface ScheduleItemProps {
  readonly schedule: Schedule;
  readonly now: number;
}

function ScheduleItem({ schedule, now }: ScheduleItemProps) {
  const recipient = useRecipient(schedule);
  const [next] = schedule.next;
  return (
    <li className={classes.row}>
      <NextRun schedule={schedule} now={now} />
      <div className={classes.what}>
        <p>
          <b dir="auto">{t('schedules.row.to', recipient)}</b>{' '}
          <span className="dim small">{ruleText(schedule, now)}</span>
        </p>
        <blockquote dir="auto">{revealHidden(schedule.text)}</blockquote>
        <p className={classes.facts}>
          <CreatorChip schedule={schedule} />
          {next !== undefined && <Chip>{catchUpText(schedule.rule, schedule.catch_up)}</Chip>}
        </p>
        <LastResult schedule={schedule} now={now} />
      </div>
      <CancelButton schedule={schedule} now={now} />
    </li>
  );
}

function useRecipient(schedule: Schedule): RecipientValues {
  const { data: link } = useQuery(linkQuery);
  return scheduleRecipient(schedule, link?.phone ?? null);
}

function NextRun({ schedule: { next, state, last, created_at }, now }: ScheduleItemProps) {
  const [first] = next;
  if (first === undefined) {
    return (
      <div className={classes.when}>
        <b>{t(state === 'cancelled' ? 'schedules.row.cancelled' : 'schedules.row.done')}</b>
        <span className="small dim num">{ownTime(last?.at ?? created_at, now)}</span>
      </div>
    );
  }
  const { day, time } = dayAndTime(first, now);
  const wait = Date.parse(first) - now;
  return (
    <div className={classes.when}>
      <time dateTime={first}>
        <span className="small dim">{day}</span>
        <b className="num">{time}</b>
      </time>
      <span className="small dim num">
        {wait <= 0 ? t('schedules.row.now') : t('schedules.row.in', { time: formatSpan(wait) })}
      </span>
    </div>
  );
}

function CreatorChip({ schedule: { created_by, who } }: { readonly schedule: Schedule }) {
  const [kind, id = ''] = created_by.split(':');
  if (kind === 'owner') return <Chip>{t('schedules.row.createdByYou')}</Chip>;
  if (kind === 'assistant') return <Chip>{t('schedules.row.createdByAssistant')}</Chip>;
  if (kind !== 'conversation') {
    return (
      <Chip>
        <span dir="auto">{t('schedules.row.createdBy', { who })}</span>
      </Chip>
    );
  }
  const link = (
    <Link to="/conversations/$id" params={{ id }} dir="auto">
      {who}
    </Link>
  );
  return (
    <Chip>
      <RichText id="schedules.row.createdByConversation" components={{ link }} />
    </Chip>
  );
}

function LastResult({ schedule: { last }, now }: ScheduleItemProps) {
  if (last === null) return null;
  const { label, hue, icon } = runDisplay(last);
  const reason = runReason(last);
  return (
    <p className={classes.result}>
      <Badge hue={hue} icon={icon}>
        {t(label)}
      </Badge>
      <span className="small dim">
        {ownTime(last.last_due_at, now)}
        {reason !== null && (
          <>
            {' · '}
            <Sentence text={reason} />
          </>
        )}{' '}
        {last.approval_id !== null && (
          <Link to="/approvals/$id" params={{ id: last.approval_id }}>
            {t('schedules.run.review')}
          </Link>
        )}
      </span>
    </p>
  );
}

function CancelButton({ schedule, now }: ScheduleItemProps) {
  const isGone = useIsDaemonGone();
  const recipient = useRecipient(schedule);
  const cancel = useAction({
    run: () => relay.delete('/api/schedules/{id}', { path: { id: schedule.id } }),
    invalidates: ['schedules', 'approvals', 'status'],
    successMessage: t('schedules.cancelled'),
  });
  const isPending =
    schedule.last?.message_state === 'pending' || schedule.last?.approval_id != null;
  if (schedule.state !== 'active' && !(schedule.state === 'done' && isPending)) return <span />;
  const askFirst = () =>
    askToConfirm({
      title: t('schedules.cancel.title', recipient),
      body: cancelText(schedule, now),
      confirmLabel: t('schedules.cancel.confirm'),
      cancelLabel: t('schedules.cancel.keep'),
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
      aria-label={t('schedules.cancel.label', { ...recipient, rule: ruleText(schedule, now) })}
    >
      {t('common.action.cancel')}
    </Button>
  );
}

// Requested schedules that wait for an approval: until then they are not schedules.

function ScheduleApprovalsCard() {
  const { data: approvals = [] } = useQuery(pendingApprovalsQuery);
  const waiting = approvals.filter(({ kind }) => kind === 'schedule_message');
  if (waiting.length === 0) return null;
  return (
    <Card
      flush
      className={classes.card ?? ''}
      title={t('schedules.approvals.title')}
      badge={
        <Count
          n={waiting.length}
          says={t('schedules.approvals.count', { count: waiting.length })}
        />
      }
    >
      <ul className={classes.waiting}>
        {waiting.map((approval) => (
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
              aria-label={t('schedules.approvals.reviewLabel', {
                question: approvalCopy(approval).question,
              })}
            >
              {t('schedules.approvals.review')}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
