// The health card: the state of the WhatsApp connection and the account, always with a sentence.
import { Progress } from '@mantine/core';
import type { DaemonStatus } from '@relay/contract/api/status';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import { IconDatabaseExclamation } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { linkQuery, statusQuery } from '../../data/queries.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { connectionDisplay } from '../../parts/connection.ts';
import { formatAgo, groupDigits } from '../../parts/format.ts';
import { Light } from '../../parts/marks.tsx';
import { Card, Note, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { sendingSentence } from '../../parts/sentences.ts';
import type { Hue } from '../../theme/theme.ts';
import classes from './home.module.css';

export function HealthCard() {
  const status = useQuery(statusQuery);
  const link = useQuery(linkQuery);
  return (
    <Card title={t('home.health.title')}>
      <QueryContent
        query={status}
        subject={t('home.health.title')}
        loading={<LoadingLines lines={6} />}
      >
        {(now) => (
          <>
            <HealthVerdict status={now} link={link.data} />
            {now.backup?.trouble && (
              <Note hue="held" icon={IconDatabaseExclamation}>
                <Sentence text={now.backup.trouble} />
              </Note>
            )}
            <Meters status={now} />
            {link.data && <LinkHealth link={link.data} />}
          </>
        )}
      </QueryContent>
    </Card>
  );
}

const LIGHT_HUES: Readonly<Record<DaemonStatus['sending']['light'], Hue>> = {
  green: 'ok',
  amber: 'held',
  red: 'bad',
};

interface HealthVerdictProps {
  readonly status: DaemonStatus;
  readonly link: LinkBody | undefined;
}

/** The connection is judged before the account: an unconnected account is neither healthy nor unhealthy. */
function HealthVerdict({ status, link }: HealthVerdictProps) {
  const now = useNow();
  const { light } = status.sending;
  const shown =
    link === undefined || link.status === 'connected'
      ? {
          hue: LIGHT_HUES[light],
          word: t(`home.health.${light}`),
          sentence: sendingSentence(status.sending),
        }
      : connectionDisplay(link, now);
  return (
    <div className={classes.health}>
      <Light hue={shown.hue} large />
      <div>
        <b>{shown.word}</b>
        <p className="small dim">
          <Sentence text={shown.sentence} />
        </p>
      </div>
    </div>
  );
}

function Meters({ status: { sending } }: { readonly status: DaemonStatus }) {
  const { caps } = sending;
  if (!caps.enabled)
    return <p className={`${classes.meters} small dim`}>{t('home.health.pacingOff')}</p>;
  return (
    <div className={classes.meters}>
      <Meter label={t('home.meter.hour')} n={sending.sent_this_hour} of={caps.per_hour} />
      <Meter label={t('home.meter.day')} n={sending.sent_today} of={caps.per_day} />
      <Meter
        label={t('home.meter.newContacts')}
        n={sending.first_contacts_today}
        of={caps.first_contacts_per_day}
      />
    </div>
  );
}

function Meter({
  label,
  n,
  of,
}: {
  readonly label: string;
  readonly n: number;
  readonly of: number;
}) {
  return (
    <div className={parts.meter}>
      <span className="dim">{label}</span>
      <span className="num">
        <RichText
          id="home.meter.used"
          values={{ used: groupDigits(n), limit: groupDigits(of) }}
          components={{ b: <b />, dim: <span className="dim" /> }}
        />
      </span>
      <Progress
        value={of === 0 ? 0 : (n / of) * 100}
        size={6}
        aria-label={t('home.meter.label', { label, used: n, limit: of })}
      />
    </div>
  );
}

function LinkHealth({ link: { health } }: { readonly link: LinkBody }) {
  const now = useNow();
  return (
    <dl className={`${parts.facts} num`}>
      <dt>{t('home.health.lastActivity')}</dt>
      <dd>
        {health.lastStanzaAt === null
          ? t('home.health.notYet')
          : formatAgo(health.lastStanzaAt, now)}
      </dd>
      <dt>{t('home.health.ping')}</dt>
      <dd>
        {health.pingMs === null
          ? t('home.health.notMeasured')
          : t('home.time.ms', { ms: Math.round(health.pingMs) })}
      </dd>
      <dt>{t('home.health.disconnects')}</dt>
      <dd>{health.flaps}</dd>
      <dt>{t('home.health.undecryptable')}</dt>
      <dd>
        {t('home.health.undecryptable.value', {
          count: health.undecryptable,
          total: health.received,
        })}
      </dd>
    </dl>
  );
}
