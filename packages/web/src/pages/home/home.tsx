// Home: health, pending items, and what happened while Relay was off. Each card loads its own data, so that one failure
// does not affect the others.
import { ActionIcon, Progress } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { LedgerLine } from '@relay/contract/api/ledger';
import { IconBook2, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { linkQuery, recentLedgerQuery, statusQuery } from '../../data/queries.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { RenderAfterFirstPaint, RenderWhenIdle } from '../../parts/deferred.tsx';
import {
  capitalize,
  formatFullTime,
  formatMoment,
  formatTimeOfDay,
  groupDigits,
} from '../../parts/format.ts';
import { Badge } from '../../parts/marks.tsx';
import { decisionDisplay } from '../../parts/outcomes.ts';
import { Card, Page, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { decisionAction, decisionSentence } from '../../parts/sentences.ts';
import { ActivityCharts, activityQuery, TurnsChartCard, useActivity } from './activity.tsx';
import { foldDecisions, formatCompact, homeSummary } from './copy.ts';
import { GetStartedCard, isSetUp } from './get-started-card.tsx';
import { HealthCard } from './health-card.tsx';
import classes from './home.module.css';
import { WaitingCard } from './waiting-card.tsx';

export function HomeScreen() {
  const { data: status } = useQuery(statusQuery);
  const { data: link } = useQuery(linkQuery);
  const { data: lastDay } = useQuery(activityQuery(24));
  const isGone = useIsDaemonGone();
  const now = useNow(20_000);
  const setup = status?.setup;
  const isStarting = setup !== undefined && !isSetUp(setup);
  return (
    <Page
      title={t('common.page.home')}
      eyebrow={formatFullTime(now)}
      summary={
        status ? (
          <>
            {homeSummary(status, link, isGone, lastDay?.total.sent ?? null)}{' '}
            {!isGone && status.storage}
          </>
        ) : (
          t('common.loading')
        )
      }
    >
      {isStarting && <GetStartedCard setup={setup} />}
      {/* Before a phone was linked there is nothing to show in the other cards. */}
      {setup?.linked === false ? null : <Dashboard />}
    </Page>
  );
}

function Dashboard() {
  return (
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
      title={t('home.report.title')}
      aside={
        <ActionIcon onClick={() => setSeen(report.until)} aria-label={t('home.report.dismiss')}>
          <IconX size={16} />
        </ActionIcon>
      }
    >
      <p className="small dim">
        {t('home.report.text', {
          since: formatMoment(report.since, now),
          until: formatMoment(report.until, now),
          sentence: report.sentence,
        })}
      </p>
      <div className={classes.figures} style={{ marginTop: 12 }}>
        <HomeFigure n={report.messages} label={t('home.figure.received')} />
        <HomeFigure n={report.chats} label={t('home.report.chats', { count: report.chats })} />
        <HomeFigure n={report.unknownSends} label={t('home.report.unknown')} />
        <HomeFigure n={report.needsYou} label={t('home.report.needsYou')} />
      </div>
      <p className="small" style={{ marginTop: 12 }}>
        <Link to="/ledger">{t('home.report.ledger')}</Link>
      </p>
    </Card>
  );
}

function HomeFigure({ n, label }: { readonly n: number; readonly label: string }) {
  return (
    <div>
      <b>{groupDigits(n)}</b>
      <span>{label}</span>
    </div>
  );
}

// Today's counts since midnight in the owner's time zone, with model tokens used of the budget.

function TodayCard() {
  const activity = useActivity();
  const { data: status } = useQuery(statusQuery);
  return (
    <Card title={t('home.today.title')}>
      <QueryContent
        query={activity}
        subject={t('home.activity')}
        loading={<LoadingLines lines={3} />}
      >
        {({ today }) => (
          <>
            <div className={classes.figures}>
              <HomeFigure n={today.received} label={t('home.figure.received')} />
              <HomeFigure n={today.sent} label={t('home.figure.sent')} />
              <HomeFigure
                n={today.answers}
                label={t('home.figure.answers', { count: today.answers })}
              />
              <HomeFigure n={today.completed} label={t('home.figure.completed')} />
              <HomeFigure n={status?.sending.waiting ?? 0} label={t('home.figure.queued')} />
              <HomeFigure n={status?.sending.failed ?? 0} label={t('home.figure.failed')} />
            </div>
            <div className={parts.meter} style={{ marginTop: 14 }}>
              <span className="dim">{t('home.tokens.title')}</span>
              <span className="num">
                <RichText
                  id="home.meter.used"
                  values={{
                    used: formatCompact(today.tokens),
                    limit: formatCompact(today.tokens_per_day),
                  }}
                  components={{ b: <b />, dim: <span className="dim" /> }}
                />
              </span>
              <Progress
                value={Math.min(100, (today.tokens / today.tokens_per_day) * 100)}
                size={6}
                aria-label={t('home.meter.label', {
                  label: t('home.tokens.title'),
                  used: today.tokens,
                  limit: today.tokens_per_day,
                })}
              />
            </div>
          </>
        )}
      </QueryContent>
    </Card>
  );
}

// Recent decisions: the newest ledger rows with their reasons.

const SHOWN_DECISIONS = 8;

function RecentDecisionsCard() {
  const ledger = useQuery(recentLedgerQuery);
  return (
    <Card
      flush
      title={t('home.decisions.title')}
      aside={
        <Link className="small" to="/ledger">
          {t('home.decisions.open')}
        </Link>
      }
    >
      <QueryContent query={ledger} subject={t('common.page.ledger')}>
        {({ entries }) =>
          entries.length === 0 ? (
            <EmptyState icon={IconBook2} title={t('home.decisions.empty')}>
              {t('home.decisions.empty.hint')}
            </EmptyState>
          ) : (
            <ul className={`${classes.feed} ${parts.rows}`}>
              {foldDecisions(entries, SHOWN_DECISIONS).map(({ entry, count }) => (
                <RecentDecision key={entry.seq} entry={entry} count={count} />
              ))}
            </ul>
          )
        }
      </QueryContent>
    </Card>
  );
}

interface RecentDecisionProps {
  readonly entry: LedgerLine;
  readonly count: number;
}

function RecentDecision({ entry, count }: RecentDecisionProps) {
  const { word, hue, icon } = decisionDisplay(entry);
  return (
    <li>
      <time dateTime={entry.at}>{formatTimeOfDay(entry.at)}</time>
      <Badge hue={hue} icon={icon}>
        {word}
      </Badge>
      <b dir="auto" title={decisionAction(entry)}>
        {capitalize(entry.about ?? entry.who)}
      </b>
      <span className="dim">
        <Sentence text={decisionSentence(entry)} />
        {count > 1 && <span className="num"> {t('home.decisions.repeated', { count })}</span>}
      </span>
    </li>
  );
}
