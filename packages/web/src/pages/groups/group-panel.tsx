// One group: since when it is observed, the figures of the selected day, its digests and its proofs.
import { Button, FileButton, Progress, Skeleton, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { GroupDay } from '@relay/contract/api/digests';
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
import { countInWords, formatDay, formatMoment, groupDigits, plural } from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Card, Note, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { useChatImport } from './chat-import.ts';
import {
  dayTitle,
  formatTokens,
  importReportText,
  noiseShare,
  retentionRunText,
  tokensSummary,
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
  const name = group?.name ?? former?.name ?? day.data?.group ?? 'This group';
  return (
    <div className={classes.main}>
      <GroupHeader name={name} group={group} />
      <Figures day={day.data ?? undefined} group={group} />
      <div className={classes.columns}>
        <div className={classes.stack}>
          <DigestsCard id={id} name={name} day={day} oldest={group?.oldest_message_at ?? null} />
          {group !== undefined && <TokensCard days={group.days} />}
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
            ? 'No longer observed. What was kept goes at its limit.'
            : `Observed since ${formatMoment(group.since, now)} · hours and days by ${group.zone}`}
        </p>
      </div>
      {group === undefined ? (
        <Badge hue="parked" icon={IconEyeOff}>
          Not observed
        </Badge>
      ) : (
        <>
          {group.may_answer ? (
            <Badge hue="agent" icon={IconMessageReply}>
              Answers you
            </Badge>
          ) : (
            <Badge hue="ok" icon={IconVolumeOff}>
              Silent
            </Badge>
          )}
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconPlayerPause size={16} />}
            disabled={isGone}
            onClick={open}
          >
            Stop observing
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
  const on = day === undefined ? '' : dayWord(dayTitle(day, now));
  return (
    <dl className={`${parts.card} ${classes.figures} num`}>
      <Figure
        value={day && groupDigits(day.messages_kept + day.messages_cut)}
        says={`messages ${on}`}
      />
      <Figure value={day && noiseShare(day)} says="noise, no model used" />
      <Figure value={day && formatTokens(day.tokens_spent)} says="tokens spent" />
      <Figure value={day && formatTokens(day.tokens_saved)} says="tokens avoided" />
      {group !== undefined && (
        <Figure
          value={`${group.answers_today}`}
          of={group.may_answer ? ` of ${group.answers_per_day}` : ''}
          says="answers to you today"
        />
      )}
    </dl>
  );
}

const dayWord = (title: string): string =>
  title === 'Today' || title === 'Yesterday' ? title.toLowerCase() : 'that day';

interface FigureProps {
  readonly value: string | undefined;
  readonly of?: string;
  readonly says: string;
}

function Figure({ value, of = '', says }: FigureProps) {
  return (
    <div className={classes.figure}>
      <dd>
        {value ?? '–'}
        <i>{of}</i>
      </dd>
      <dt>{says}</dt>
    </div>
  );
}

// Tokens used and saved per day: bars, one sentence, and the same as a table.

const loadTokensChart = () => loadWhenReachable(() => import('./tokens-chart.tsx'));
const LazyTokensChart = lazy(async () => ({ default: (await loadTokensChart()).TokensChart }));

function TokensCard({ days }: { readonly days: ObservedGroup['days'] }) {
  const [isTable, setTable] = useState(false);
  const nothing = days.every((day) => day.tokens_spent + day.tokens_avoided === 0);
  return (
    <Card
      title="Tokens per day"
      aside={
        !nothing && (
          <Button variant="subtle" color="gray" size="xs" onClick={() => setTable(!isTable)}>
            {isTable ? 'Show bars' : 'Show table'}
          </Button>
        )
      }
    >
      <p className="small dim">{tokensSummary(days)}</p>
      {!nothing && (isTable ? <TokensTable days={days} /> : <TokensBars days={days} />)}
    </Card>
  );
}

function TokensBars({ days }: { readonly days: ObservedGroup['days'] }) {
  return (
    <div aria-hidden className={classes.chart}>
      <p className={classes.legend}>
        <span data-hue="agent">spent</span>
        <span data-hue="parked">avoided by the filter</span>
      </p>
      <Suspense fallback={<Skeleton height={160} />}>
        <LazyTokensChart days={days} />
      </Suspense>
    </div>
  );
}

function TokensTable({ days }: { readonly days: ObservedGroup['days'] }) {
  const now = useNow(60_000);
  return (
    <table className={`${classes.table} num`}>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Told of</th>
          <th scope="col">Noise</th>
          <th scope="col">Spent</th>
          <th scope="col">Avoided</th>
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <tr key={day.day}>
            <th scope="row">{formatDay(`${day.day}T12:00:00`, now)}</th>
            <td>{groupDigits(day.messages_kept)}</td>
            <td>{groupDigits(day.messages_cut)}</td>
            <td>{groupDigits(day.tokens_spent)}</td>
            <td>{groupDigits(day.tokens_avoided)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Proof that nothing was sent to the group: the count from the outbox, linked to the decisions behind it.

function SentMessagesCard({ group }: { readonly group: ObservedGroup }) {
  const now = useNow(60_000);
  const since = formatMoment(group.since, now);
  return (
    <Card
      title={
        <IconTitle icon={IconVolumeOff}>
          {group.messages_sent === 0 ? 'Silence, proven' : 'What was sent there'}
        </IconTitle>
      }
    >
      <p>
        {group.messages_sent === 0
          ? `Relay sent nothing here since ${since}: no message, no receipt that it was read, no sign of typing.`
          : `${countInWords(group.messages_sent, 'message')} left for this group since ${since}. Nothing shows that Relay reads.`}
      </p>
      <dl className={`${parts.facts} ${classes.spaced} num`}>
        <dt>Messages sent</dt>
        <dd>{group.messages_sent}</dd>
        <dt>May answer you</dt>
        <dd>{group.may_answer ? `yes, ${group.answers_per_day} a day` : 'no'}</dd>
        <dt>The group was told</dt>
        <dd>{group.announced_at === null ? 'not yet' : formatMoment(group.announced_at, now)}</dd>
      </dl>
      <p className="small">
        <Link to="/ledger" search={{ subject: group.chat_id }}>
          Decisions about this group
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
    <Card title={<IconTitle icon={IconTrash}>Kept, and deleted</IconTitle>}>
      <QueryContent query={retention} subject="What is kept" loading={<LoadingLines lines={5} />}>
        {(kept) => (
          <>
            <Limits kept={kept} group={kept.groups.find(({ chat_id }) => chat_id === id)} />
            <LastRun kept={kept} />
            <Button
              variant="default"
              fullWidth
              disabled={isGone}
              loading={run.isPending}
              onClick={() => run.mutate()}
            >
              Enforce the limits now
            </Button>
          </>
        )}
      </QueryContent>
    </Card>
  );
}

interface LimitsProps {
  readonly kept: RetentionStatus;
  readonly group: RetentionGroup | undefined;
}

function Limits({ kept: { limits }, group }: LimitsProps) {
  return (
    <>
      <Limit
        what="Messages"
        days={limits.observed_messages_days}
        oldest={group?.oldest_message_at ?? null}
      />
      <Limit what="Digests" days={limits.digests_days} oldest={group?.oldest_digest_at ?? null} />
      {group?.within_limits === false && (
        <Note hue="bad" icon={IconAlertTriangle}>
          Something here is older than its limit. It goes the next time the limits are enforced.
        </Note>
      )}
    </>
  );
}

interface LimitProps {
  readonly what: string;
  readonly days: number;
  readonly oldest: string | null;
}

function Limit({ what, days, oldest }: LimitProps) {
  const now = useNow(60_000);
  return (
    <div className={classes.limit}>
      <span>{what}</span>
      <b className="num">{plural(days, 'day')}</b>
      <div className={classes.track} aria-hidden>
        <i />
        <i />
      </div>
      <small className="num">
        {oldest === null ? 'nothing kept' : `oldest ${formatMoment(oldest, now)}`}
      </small>
      <small>today</small>
    </div>
  );
}

function LastRun({ kept: { runs, next_run_at } }: { readonly kept: RetentionStatus }) {
  const now = useNow(60_000);
  const [last] = runs;
  return (
    <p className={`${classes.lastRun} small dim`}>
      {last === undefined
        ? 'The limits were not enforced yet.'
        : `Last enforced ${formatMoment(last.at, now)}, ${retentionRunText(last)} ${last.scoured ? 'The database was written anew without it.' : ''}`}{' '}
      Next: {formatMoment(next_run_at, now)}.
    </p>
  );
}

// Whether digests are exported, and where to; configured in the settings.

function DigestExportCard() {
  const outside = useQuery(digestExportStatusQuery);
  return (
    <Card
      title={<IconTitle icon={IconFolderShare}>Outside memory</IconTitle>}
      aside={
        <Link className="small" to="/settings">
          Set up
        </Link>
      }
    >
      <QueryContent
        query={outside}
        subject="The outside memory"
        loading={<LoadingLines lines={2} />}
      >
        {({ folder, webhook_url, hourly }) => (
          <p className="small dim">
            {folder === null && webhook_url === null ? (
              'Digests stay in Relay.'
            ) : (
              <>
                Digests {hourly ? 'of hours and days' : 'of days'} also go to{' '}
                {[folder, webhook_url]
                  .filter((place) => place !== null)
                  .map((place, n) => (
                    <span key={place}>
                      {n > 0 && ' and '}
                      <code>{place}</code>
                    </span>
                  ))}
                .
              </>
            )}
          </p>
        )}
      </QueryContent>
    </Card>
  );
}

// Imports an exported chat for search: choose a file, upload it, and follow the progress. Leaving the page stops it; it
// can be repeated without importing anything twice.

function ImportChatCard() {
  const [me, setMe] = useState('');
  const isGone = useIsDaemonGone();
  const { news, begin } = useChatImport();
  const isRunning = news?.type === 'progress';
  return (
    <Card title={<IconTitle icon={IconFileImport}>An exported chat</IconTitle>}>
      <div className={classes.form}>
        <p className="small dim">What WhatsApp exports (.txt or .zip) becomes findable here.</p>
        <TextInput
          label="Your name in it"
          description="Only where Relay cannot tell which is you."
          value={me}
          disabled={isRunning}
          onChange={(event) => setMe(event.currentTarget.value)}
        />
        {isRunning && (
          <Progress value={news.percent} aria-label={`${Math.round(news.percent)}% read`} />
        )}
        {news?.type === 'done' && (
          <Note hue="ok" icon={IconCheck} role="status">
            {importReportText(news.report)}
          </Note>
        )}
        {news?.type === 'failed' && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={news.error} />
          </Note>
        )}
        <FileButton accept=".txt,.zip" onChange={(file) => file && begin(file, me.trim())}>
          {(props) => (
            <Button {...props} variant="default" fullWidth disabled={isGone} loading={isRunning}>
              Choose a file
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
