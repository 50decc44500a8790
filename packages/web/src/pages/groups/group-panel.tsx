// One group: since when it is observed, the figures of the selected day, its digests and its proofs.
import { Button, FileButton, Progress, Skeleton, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { DigestExportState, GroupDay } from '@relay/contract/api/digests';
import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import type { RetentionGroup, RetentionStatus } from '@relay/contract/api/retention';
import {
  IconAlertTriangle,
  IconCheck,
  IconEyeOff,
  IconFileImport,
  IconFolderShare,
  IconMessageReply,
  IconPlayerPause,
  IconTrash,
  IconVolumeOff,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { loadWhenReachable } from '../../data/lazy-load.ts';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { formatMoment, formatShortDate, groupDigits } from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Card, Note, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { useChatImport } from './chat-import.ts';
import {
  digestTokens,
  formatPercent,
  formatTokens,
  importReportText,
  noiseShare,
  relativeDay,
  retentionRunText,
  usageSummary,
} from './copy.ts';
import { DigestsCard } from './digests.tsx';
import classes from './groups.module.css';
import { StopObservingModal } from './observe.tsx';
import { digestExportStatusQuery, groupDayQuery, retentionQuery } from './queries.ts';

interface GroupPanelProps {
  readonly id: string;
  readonly group: ObservedGroup | undefined;
  readonly former: RetentionGroup | undefined;
}

export function GroupPanel({ id, group, former }: GroupPanelProps) {
  const view = useSearch({ strict: false });
  const day = useQuery(groupDayQuery(id, view.day));
  const name = group?.name ?? former?.name ?? day.data?.group ?? t('groups.unnamed');
  return (
    <div className={classes.main}>
      <GroupHeader name={name} group={group} />
      <Figures day={day.data ?? undefined} group={group} />
      <div className={classes.columns}>
        <div className={classes.stack}>
          <DigestsCard id={id} name={name} day={day} oldest={group?.oldest_message_at ?? null} />
          {group !== undefined && <UsageCard days={group.days} />}
        </div>
        <div className={classes.stack}>
          {group !== undefined && <SentMessagesCard group={group} />}
          <RetentionCard id={id} />
          <DigestExportCard />
          <ImportChatCard />
        </div>
      </div>
    </div>
  );
}

function GroupHeader({
  name,
  group,
}: {
  readonly name: string;
  readonly group: ObservedGroup | undefined;
}) {
  const now = useNow(60_000);
  const isGone = useIsDaemonGone();
  const [isAsking, { open, close }] = useDisclosure();
  return (
    <header className={classes.head}>
      <Initials name={name} large />
      <div>
        <h2 dir="auto">{name}</h2>
        <p className="small dim">
          {group === undefined
            ? t('groups.header.formerlyObserved')
            : t('groups.header.since', { since: formatMoment(group.since, now), zone: group.zone })}
        </p>
      </div>
      {group === undefined ? (
        <Badge hue="parked" icon={IconEyeOff}>
          {t('groups.header.notObserved')}
        </Badge>
      ) : (
        <>
          {group.may_answer ? (
            <Badge hue="agent" icon={IconMessageReply}>
              {t('groups.header.mayAnswer')}
            </Badge>
          ) : (
            <Badge hue="ok" icon={IconVolumeOff}>
              {t('groups.header.readOnly')}
            </Badge>
          )}
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconPlayerPause size={16} />}
            disabled={isGone}
            onClick={open}
          >
            {t('groups.stop.action')}
          </Button>
          <StopObservingModal group={group} isOpen={isAsking} onClose={close} />
        </>
      )}
    </header>
  );
}

interface FiguresProps {
  readonly day: GroupDay | undefined;
  readonly group: ObservedGroup | undefined;
}

/** Of the selected day. */
function Figures({ day, group }: FiguresProps) {
  const now = useNow(60_000);
  return (
    <dl className={`${parts.card} ${classes.figures} num`}>
      <Figure
        value={day && groupDigits(day.messages_kept + day.messages_cut)}
        label={t('groups.figures.messages', { day: day ? relativeDay(day, now) : '' })}
      />
      <Figure value={day && noiseShare(day)} label={t('groups.figures.noise')} />
      <Figure value={day && formatTokens(digestTokens(day))} label={t('groups.figures.used')} />
      <Figure value={day && formatTokens(day.tokens_saved)} label={t('groups.figures.saved')} />
      {group !== undefined && (
        <Figure value={<AnswersToday group={group} />} label={t('groups.figures.answers')} />
      )}
    </dl>
  );
}

function AnswersToday({ group }: { readonly group: ObservedGroup }) {
  if (!group.may_answer) return groupDigits(group.answers_today);
  return (
    <RichText
      id="groups.figures.answersCount"
      values={{ count: group.answers_today, limit: group.answers_per_day }}
      components={{ limit: <i /> }}
    />
  );
}

interface FigureProps {
  readonly value: ReactNode;
  readonly label: string;
}

function Figure({ value, label }: FigureProps) {
  return (
    <div className={classes.figure}>
      <dd>{value ?? '–'}</dd>
      <dt>{label}</dt>
    </div>
  );
}

// Model tokens used and saved per day: a chart, one sentence, and the same as a table.

const loadTokensChart = () => loadWhenReachable(() => import('./tokens-chart.tsx'));
const LazyTokensChart = lazy(async () => ({ default: (await loadTokensChart()).TokensChart }));

function UsageCard({ days }: { readonly days: ObservedGroup['days'] }) {
  const [isTable, setTable] = useState(false);
  const isEmpty = days.every((day) => day.tokens_spent + day.tokens_avoided === 0);
  return (
    <Card
      title={t('groups.usage.title')}
      aside={
        !isEmpty && (
          <Button variant="subtle" color="gray" size="xs" onClick={() => setTable(!isTable)}>
            {t(isTable ? 'groups.usage.showChart' : 'groups.usage.showTable')}
          </Button>
        )
      }
    >
      <p className="small dim">{usageSummary(days)}</p>
      {!isEmpty && (isTable ? <UsageTable days={days} /> : <UsageChart days={days} />)}
    </Card>
  );
}

function UsageChart({ days }: { readonly days: ObservedGroup['days'] }) {
  return (
    <div aria-hidden className={classes.chart}>
      <p className={classes.legend}>
        <span data-hue="agent">{t('groups.usage.legendUsed')}</span>
        <span data-hue="parked">{t('groups.usage.legendSaved')}</span>
      </p>
      <Suspense fallback={<Skeleton height={160} />}>
        <LazyTokensChart days={days} />
      </Suspense>
    </div>
  );
}

function UsageTable({ days }: { readonly days: ObservedGroup['days'] }) {
  return (
    <section
      className={classes.scrolls}
      aria-label={t('groups.usage.title')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is scrolled by keys too
      tabIndex={0}
    >
      <table className={`${classes.table} num`}>
        <thead>
          <tr>
            <th scope="col">{t('groups.usage.columnDay')}</th>
            <th scope="col">{t('groups.usage.columnRelevant')}</th>
            <th scope="col">{t('groups.usage.columnFiltered')}</th>
            <th scope="col">{t('groups.usage.columnUsed')}</th>
            <th scope="col">{t('groups.usage.columnSaved')}</th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.day}>
              <th scope="row">{formatShortDate(new Date(`${day.day}T12:00:00`))}</th>
              <td>{groupDigits(day.messages_kept)}</td>
              <td>{groupDigits(day.messages_cut)}</td>
              <td>{groupDigits(day.tokens_spent)}</td>
              <td>{groupDigits(day.tokens_avoided)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

// Proof that nothing was sent to the group: the count from the outbox, linked to the decisions behind it.

function SentMessagesCard({ group }: { readonly group: ObservedGroup }) {
  const now = useNow(60_000);
  const since = formatMoment(group.since, now);
  const { messages_sent: count, may_answer: mayAnswer } = group;
  const isReadOnly = count === 0 && !mayAnswer;
  return (
    <Card
      title={
        <IconTitle icon={IconVolumeOff}>
          {t(isReadOnly ? 'groups.sent.readOnly' : 'groups.sent.title')}
        </IconTitle>
      }
    >
      <p>
        {count === 0
          ? t('groups.sent.nothing', { since })
          : t('groups.sent.some', { count, since })}
      </p>
      <dl className={`${parts.facts} ${classes.spaced} num`}>
        <dt>{t('groups.sent.count')}</dt>
        <dd>{groupDigits(count)}</dd>
        <dt>{t('groups.sent.answers')}</dt>
        <dd>
          {mayAnswer
            ? t('groups.sent.answersPerDay', { count: group.answers_per_day })
            : t('common.off')}
        </dd>
        <dt>{t('groups.sent.announced')}</dt>
        <dd>
          {group.announced_at === null
            ? t('groups.sent.notAnnounced')
            : formatMoment(group.announced_at, now)}
        </dd>
      </dl>
      <p className="small">
        <Link to="/ledger" search={{ subject: group.chat_id }}>
          {t('groups.sent.decisions')}
        </Link>
      </p>
    </Card>
  );
}

// Proof of deletion: how long data is kept, how old the oldest is, when retention last ran.

function RetentionCard({ id }: { readonly id: string }) {
  const retention = useQuery(retentionQuery);
  const isGone = useIsDaemonGone();
  const run = useAction({
    run: () => relay.post('/api/retention/run'),
    invalidates: ['groups', 'digests'],
  });
  return (
    <Card title={<IconTitle icon={IconTrash}>{t('groups.retention.title')}</IconTitle>}>
      <QueryContent
        query={retention}
        subject={t('groups.retention.title')}
        loading={<LoadingLines lines={5} />}
      >
        {(status) => (
          <>
            <Limits status={status} group={status.groups.find(({ chat_id }) => chat_id === id)} />
            <LastRun status={status} />
            <Button
              variant="default"
              fullWidth
              disabled={isGone}
              loading={run.isPending}
              onClick={() => run.mutate()}
            >
              {t('groups.retention.runNow')}
            </Button>
          </>
        )}
      </QueryContent>
    </Card>
  );
}

interface LimitsProps {
  readonly status: RetentionStatus;
  readonly group: RetentionGroup | undefined;
}

function Limits({ status: { limits }, group }: LimitsProps) {
  return (
    <>
      <Limit
        label={t('groups.retention.messages')}
        days={limits.observed_messages_days}
        oldest={group?.oldest_message_at ?? null}
      />
      <Limit
        label={t('groups.retention.digests')}
        days={limits.digests_days}
        oldest={group?.oldest_digest_at ?? null}
      />
      {group?.within_limits === false && (
        <Note hue="bad" icon={IconAlertTriangle}>
          {t('groups.retention.overdue')}
        </Note>
      )}
    </>
  );
}

interface LimitProps {
  readonly label: string;
  readonly days: number;
  readonly oldest: string | null;
}

function Limit({ label, days, oldest }: LimitProps) {
  const now = useNow(60_000);
  return (
    <div className={classes.limit}>
      <span>{label}</span>
      <b className="num">{t('groups.retention.days', { count: days })}</b>
      <div className={classes.track} aria-hidden>
        <i />
        <i />
      </div>
      <small className="num">
        {oldest === null
          ? t('groups.retention.nothingStored')
          : t('groups.retention.oldest', { time: formatMoment(oldest, now) })}
      </small>
      <small>{t('common.time.today')}</small>
    </div>
  );
}

function LastRun({ status: { runs, next_run_at } }: { readonly status: RetentionStatus }) {
  const now = useNow(60_000);
  const [last] = runs;
  return (
    <p className={`${classes.lastRun} small dim`}>
      {last === undefined
        ? t('groups.retention.neverRan')
        : retentionRunText(last, formatMoment(last.at, now))}{' '}
      {last?.scoured === true && `${t('groups.retention.rewritten')} `}
      {t('groups.retention.next', { time: formatMoment(next_run_at, now) })}
    </p>
  );
}

// Whether digests are exported, and where to; configured in the settings.

function DigestExportCard() {
  const status = useQuery(digestExportStatusQuery);
  return (
    <Card
      title={<IconTitle icon={IconFolderShare}>{t('groups.export.title')}</IconTitle>}
      aside={
        <Link className="small" to="/settings">
          {t('groups.export.setUp')}
        </Link>
      }
    >
      <QueryContent
        query={status}
        subject={t('groups.export.title')}
        loading={<LoadingLines lines={2} />}
      >
        {(state) => (
          <p className="small dim">
            <DigestExportTargets {...state} />
          </p>
        )}
      </QueryContent>
    </Card>
  );
}

type DigestExportTargetsProps = Pick<DigestExportState, 'folder' | 'webhook_url' | 'hourly'>;

function DigestExportTargets({ folder, webhook_url, hourly }: DigestExportTargetsProps) {
  const [first, second] = [folder, webhook_url].filter((target) => target !== null);
  if (first === undefined) return t('groups.export.off');
  return (
    <RichText
      id={second === undefined ? 'groups.export.one' : 'groups.export.two'}
      values={{ kinds: hourly ? 'all' : 'daily' }}
      components={{ first: <code>{first}</code>, second: <code>{second}</code> }}
    />
  );
}

// Imports an exported chat for search: choose a file, upload it, and follow the progress. Leaving the page stops it; it
// can be repeated without importing anything twice.

function ImportChatCard() {
  const [me, setMe] = useState('');
  const isGone = useIsDaemonGone();
  const { latest, begin } = useChatImport();
  const isRunning = latest?.type === 'progress';
  return (
    <Card title={<IconTitle icon={IconFileImport}>{t('groups.import.title')}</IconTitle>}>
      <div className={classes.form}>
        <p className="small dim">{t('groups.import.hint')}</p>
        <TextInput
          label={t('groups.import.me')}
          description={t('groups.import.meHint')}
          value={me}
          disabled={isRunning}
          onChange={(event) => setMe(event.currentTarget.value)}
        />
        {isRunning && (
          <Progress
            value={latest.percent}
            aria-label={t('groups.import.progress', { percent: formatPercent(latest.percent) })}
          />
        )}
        {latest?.type === 'done' && (
          <Note hue="ok" icon={IconCheck} role="status">
            {importReportText(latest.report)}
          </Note>
        )}
        {latest?.type === 'failed' && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={latest.error} />
          </Note>
        )}
        <FileButton accept=".txt,.zip" onChange={(file) => file && begin(file, me.trim())}>
          {(props) => (
            <Button {...props} variant="default" fullWidth disabled={isGone} loading={isRunning}>
              {t('groups.import.choose')}
            </Button>
          )}
        </FileButton>
      </div>
    </Card>
  );
}

// A card title with an icon.

interface IconTitleProps {
  readonly icon: TablerIcon;
  readonly children: ReactNode;
}

function IconTitle({ icon: Icon, children }: IconTitleProps) {
  return (
    <span className={classes.iconed}>
      <Icon size={17} stroke={1.7} aria-hidden />
      {children}
    </span>
  );
}
