// Home: health, pending items, and what happened while Relay was off. Each card loads its own data, so that one failure
// does not affect the others.
import { ActionIcon, Button, Progress } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { LedgerLine } from '@relay/contract/api/ledger';
import { IconBook2, IconPlugConnected, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { linkQuery, recentLedgerQuery, statusQuery } from '../../data/queries.ts';
import { useNow } from '../../data/use-now.ts';
import { RenderAfterFirstPaint, RenderWhenIdle } from '../../parts/deferred.tsx';
import { formatFullTime, formatMoment, formatTimeOfDay, groupDigits } from '../../parts/format.ts';
import { Badge } from '../../parts/marks.tsx';
import { outcomeDisplay } from '../../parts/outcomes.ts';
import { Card, Page, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { ActivityCharts, TurnsChartCard, useActivity } from './activity.tsx';
import { formatCompact, homeLead, homeSentence } from './copy.ts';
import { HealthCard } from './health-card.tsx';
import classes from './home.module.css';
import { WaitingCard } from './waiting-card.tsx';

export function HomeScreen() {
  const { data: status } = useQuery(statusQuery);
  const { data: link } = useQuery(linkQuery);
  const isGone = useIsDaemonGone();
  const now = useNow(20_000);
  const isUnlinked = link !== undefined && link.phone === null;
  return (
    <Page
      title="Home"
      eyebrow={formatFullTime(now)}
      sentence={status ? homeSentence(status, link, isGone) : 'Asking Relay how it is …'}
      summary={status && !isGone ? homeLead(status) : undefined}
      actions={
        isUnlinked ? (
          <Button component={Link} to="/tools" leftSection={<IconPlugConnected size={17} />}>
            Link device
          </Button>
        ) : undefined
      }
    >
      <div className={classes.columns}>
        <div className={classes.stack}>
          <RenderAfterFirstPaint>
            <WaitingCard />
            <RenderWhenIdle after={0}>
              <ActivityCharts />
              <RecentDecisionsCard />
            </RenderWhenIdle>
          </RenderAfterFirstPaint>
        </div>
        <div className={classes.stack}>
          <RenderAfterFirstPaint>
            <HealthCard />
            <RestartReportCard />
            <TodayCard />
            <RenderWhenIdle after={0}>
              <TurnsChartCard />
            </RenderWhenIdle>
          </RenderAfterFirstPaint>
        </div>
      </div>
    </Page>
  );
}

// The restart report: what happened while Relay or its connection was down. Once dismissed, it stays hidden until the
// next one.

function RestartReportCard() {
  const { data: status } = useQuery(statusQuery);
  const [seen, setSeen] = useLocalStorage({ key: 'relay-report-seen', defaultValue: '' });
  const now = useNow(60_000);
  const report = status?.report ?? null;
  if (report === null || report.until === seen) return null;
  return (
    <Card
      title="While it was off"
      aside={
        <ActionIcon onClick={() => setSeen(report.until)} aria-label="Dismiss the report">
          <IconX size={16} />
        </ActionIcon>
      }
    >
      <p className="small dim">
        {formatMoment(report.since, now)} to {formatMoment(report.until, now)}. {report.sentence}
      </p>
      <div className={classes.figures} style={{ marginTop: 12 }}>
        <HomeFigure n={report.messages} says="came in" />
        <HomeFigure n={report.chats} says="chats" />
        <HomeFigure n={report.unknownSends} says="sends unsure" />
        <HomeFigure n={report.needsYou} says="need you" />
      </div>
      <p className="small" style={{ marginTop: 12 }}>
        <Link to="/ledger">See these in the ledger</Link>
      </p>
    </Card>
  );
}

function HomeFigure({ n, says }: { readonly n: number; readonly says: string }) {
  return (
    <div>
      <b>{groupDigits(n)}</b>
      <span>{says}</span>
    </div>
  );
}

// Today's counts since midnight in the owner's time zone, with model tokens used of the budget.

function TodayCard() {
  const activity = useActivity();
  const { data: status } = useQuery(statusQuery);
  return (
    <Card title="Today">
      <QueryContent query={activity} subject="The numbers" loading={<LoadingLines lines={3} />}>
        {({ today }) => (
          <>
            <div className={classes.figures}>
              <HomeFigure n={today.received} says="came in" />
              <HomeFigure n={today.sent} says="left" />
              <HomeFigure n={today.answers} says="answers" />
              <HomeFigure n={today.completed} says="talks done" />
              <HomeFigure n={status?.sending.waiting ?? 0} says="about to leave" />
              <HomeFigure n={status?.sending.failed ?? 0} says="failed in 24 h" />
            </div>
            <div className={parts.meter} style={{ marginTop: 14 }}>
              <span className="dim">Tokens of models</span>
              <span className="num">
                <b>{formatCompact(today.tokens)}</b>{' '}
                <span className="dim">of {formatCompact(today.tokens_per_day)}</span>
              </span>
              <Progress
                value={Math.min(100, (today.tokens / today.tokens_per_day) * 100)}
                size={6}
                aria-label={`Tokens of models today: ${today.tokens} of ${today.tokens_per_day}`}
              />
            </div>
          </>
        )}
      </QueryContent>
    </Card>
  );
}

// Recent decisions: the newest ledger rows with their reasons.

function RecentDecisionsCard() {
  const ledger = useQuery(recentLedgerQuery);
  return (
    <Card
      flush
      title="What it did, and why"
      aside={
        <Link className="small" to="/ledger">
          Open ledger
        </Link>
      }
    >
      <QueryContent query={ledger} subject="The ledger">
        {({ entries }) =>
          entries.length === 0 ? (
            <EmptyState icon={IconBook2} title="Nothing was decided yet.">
              Every yes and every no will stand here with its reason.
            </EmptyState>
          ) : (
            <ul className={`${classes.feed} ${parts.rows}`}>
              {entries.map((entry) => (
                <RecentDecision key={entry.seq} entry={entry} />
              ))}
            </ul>
          )
        }
      </QueryContent>
    </Card>
  );
}

function RecentDecision({ entry }: { readonly entry: LedgerLine }) {
  const { word, hue, icon } = outcomeDisplay(entry.outcome);
  return (
    <li>
      <time dateTime={entry.at}>{formatTimeOfDay(entry.at)}</time>
      <Badge hue={hue} icon={icon}>
        {word}
      </Badge>
      <b dir="auto" title={entry.what}>
        {entry.about ?? entry.who}
      </b>
      <span className="dim" dir="auto">
        <Sentence text={entry.sentence} />
      </span>
    </li>
  );
}
