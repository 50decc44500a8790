// The digests of a day: by hour, or for the whole day with its facts. Day and view are in the address; H and D switch
// the view.
import { ActionIcon, Button, SegmentedControl, TextInput } from '@mantine/core';
import type { GroupDay } from '@relay/contract/api/digests';
import { factLine } from '@relay/contract/observer/digest/facts';
import { IconChevronLeft, IconChevronRight, IconNotes, IconSearch } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { EmptyState, QueryContent } from '../../parts/query-content.tsx';
import type { GroupsSearch } from '../../search-params.ts';
import { useKeys } from '../../shell/keys.tsx';
import { clockIn, dayAfter, dayTitle, factGroups, withoutHour } from './copy.ts';
import classes from './groups.module.css';

interface DigestsCardProps {
  readonly id: string;
  readonly name: string;
  readonly day: UseQueryResult<GroupDay | null, Error>;
  /** The time of the oldest message that is still kept. */
  readonly oldest: string | null;
}

export function DigestsCard({ id, name, day, oldest }: DigestsCardProps) {
  const view = useSearch({ strict: false });
  const navigate = useNavigate();
  const show = (changed: GroupsSearch) =>
    void navigate({ to: '/groups/$id', params: { id }, search: { ...view, ...changed } });
  const by = view.by ?? 'hour';
  useKeys(
    { h: () => show({ by: 'hour' }), d: () => show({ by: 'day' }) },
    t('groups.digests.keys'),
  );
  const now = useNow(30_000);
  const shown = day.data ?? null;
  const isToday = shown === null || Date.parse(shown.to) > now;
  return (
    <section className={parts.card} aria-labelledby="digests">
      <div className={classes.dayHead}>
        <ActionIcon
          aria-label={t('groups.digests.previousDay')}
          disabled={shown === null}
          onClick={() => shown && show({ day: dayAfter(shown.day, -1) })}
        >
          <IconChevronLeft size={18} className="mirrored" />
        </ActionIcon>
        <h2 id="digests">{shown === null ? t('groups.digests.title') : dayTitle(shown, now)}</h2>
        <ActionIcon
          aria-label={t('groups.digests.nextDay')}
          disabled={isToday}
          onClick={() => shown && show({ day: dayAfter(shown.day, 1) })}
        >
          <IconChevronRight size={18} className="mirrored" />
        </ActionIcon>
        <SegmentedControl
          aria-label={t('groups.digests.period')}
          value={by}
          onChange={(chosen) => show({ by: chosen === 'day' ? 'day' : 'hour' })}
          data={[
            { value: 'hour', label: t('groups.digests.byHour') },
            { value: 'day', label: t('groups.digests.byDay') },
          ]}
        />
      </div>
      <div className={day.isPlaceholderData ? classes.stale : undefined}>
        <QueryContent query={day} subject={t('groups.digests.title')}>
          {(found) =>
            found === null ? (
              <NoDigest text={t('groups.digests.none')} />
            ) : by === 'day' ? (
              <DailyDigest day={found} oldest={oldest} />
            ) : (
              <HourlyDigests day={found} oldest={oldest} />
            )
          }
        </QueryContent>
      </div>
      <GroupAskForm id={id} name={name} />
    </section>
  );
}

function HourlyDigests({
  day,
  oldest,
}: {
  readonly day: GroupDay;
  readonly oldest: string | null;
}) {
  const failed = day.failures.filter(({ kind }) => kind === 'hourly');
  if (day.hourly.length + failed.length === 0) {
    return <NoDigest text={day.instead ?? t('groups.digests.noHourly')} />;
  }
  const hours = [...day.hourly].sort((a, b) => b.from.localeCompare(a.from));
  return (
    <ol className={`${classes.hours} ${parts.rows}`}>
      {hours.map((hour) => (
        <li key={hour.id}>
          <div>
            <time dateTime={hour.from}>{clockIn(day.zone, hour.from)}</time>
            <small className="num">{t('groups.digests.messages', { count: hour.messages })}</small>
          </div>
          <div>
            <p dir="auto" className={classes.text}>
              {withoutHour(hour.text)}
            </p>
            <DigestOrigin chat={day.chat_id} from={hour.from} oldest={oldest} />
          </div>
        </li>
      ))}
      {failed.map((hour) => (
        <li key={hour.from}>
          <div>
            <time dateTime={hour.from}>{clockIn(day.zone, hour.from)}</time>
          </div>
          <p className="dim">
            <Sentence text={hour.sentence} />
          </p>
        </li>
      ))}
    </ol>
  );
}

// A whole day: its summary, then decisions, events, action items and open questions.

interface DailyDigestProps {
  readonly day: GroupDay;
  readonly oldest: string | null;
}

function DailyDigest({ day, oldest }: DailyDigestProps) {
  const failed = day.failures.find(({ kind }) => kind === 'daily');
  if (day.daily === null) {
    if (failed === undefined) return <NoDigest text={day.instead ?? t('groups.digests.noDaily')} />;
    return (
      <p className={`${classes.whole} dim`}>
        <Sentence text={failed.sentence} />
      </p>
    );
  }
  return (
    <div className={classes.whole}>
      <p dir="auto" className={classes.text}>
        {day.daily.text}
      </p>
      <p className="small dim num">
        {t('groups.digests.made', {
          messages: day.daily.messages,
          tokens: day.daily.cost_tokens,
        })}
      </p>
      {factGroups(day.daily.facts).map(({ kind, title, facts }) => (
        <section key={kind} aria-label={title}>
          <h3>{title}</h3>
          <ul className={classes.facts}>
            {facts.map((fact) => (
              <li key={`${fact.said_at} ${fact.text}`}>
                <span dir="auto">{factLine(fact)}</span>
                {fact.said_at !== day.from && (
                  <time className="small dim" dateTime={fact.said_at}>
                    {clockIn(day.zone, fact.said_at)}
                  </time>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <DigestOrigin chat={day.chat_id} from={day.from} oldest={oldest} />
    </div>
  );
}

// The source of a digest: a link to its messages while they are kept; and the text shown without a digest.

function NoDigest({ text }: { readonly text: string }) {
  return <EmptyState icon={IconNotes} title={text.replace(/:$/, '.')} />;
}

interface DigestOriginProps {
  readonly chat: string;
  readonly from: string;
  readonly oldest: string | null;
}

/** A link to the messages while they are kept. */
function DigestOrigin({ chat, from, oldest }: DigestOriginProps) {
  const isKept = oldest !== null && Date.parse(oldest) < Date.parse(from) + 3_600_000;
  if (!isKept) return <p className="small dim">{t('groups.digests.messagesDeleted')}</p>;
  return (
    <p className="small">
      <Link to="/chats/$id" params={{ id: chat }}>
        {t('groups.digests.showMessages')}
      </Link>
    </p>
  );
}

// Asks about the group: opens the search limited to this group. Only the owner sees the answer.

function GroupAskForm({ id, name }: { readonly id: string; readonly name: string }) {
  const [question, setQuestion] = useState('');
  const navigate = useNavigate();
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const q = question.trim();
    if (q !== '') void navigate({ to: '/search', search: { q, chat: id } });
  };
  return (
    <form className={classes.ask} onSubmit={ask}>
      <TextInput
        aria-label={t('groups.ask.label', { group: name })}
        placeholder={t('groups.ask.placeholder')}
        leftSection={<IconSearch size={16} stroke={1.7} />}
        value={question}
        onChange={(event) => setQuestion(event.currentTarget.value)}
      />
      <Button type="submit" disabled={question.trim() === ''}>
        {t('groups.ask.action')}
      </Button>
    </form>
  );
}
