// The health card: the state of the WhatsApp connection and the account, always with a sentence.
import { Progress } from '@mantine/core';
import type { DaemonStatus } from '@relay/contract/api/status';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import { useQuery } from '@tanstack/react-query';
import { linkQuery, statusQuery } from '../../data/queries.ts';
import { useNow } from '../../data/use-now.ts';
import { connectionDisplay } from '../../parts/connection.ts';
import { formatAgo, groupDigits } from '../../parts/format.ts';
import { Light } from '../../parts/marks.tsx';
import { Card, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import type { Hue } from '../../theme/theme.ts';
import classes from './home.module.css';

export function HealthCard() {
  const status = useQuery(statusQuery);
  const link = useQuery(linkQuery);
  return (
    <Card title="Account health">
      <QueryContent query={status} subject="The health" loading={<LoadingLines lines={6} />}>
        {(now) => (
          <>
            <HealthVerdict status={now} link={link.data} />
            <Meters status={now} />
            {link.data && <LinkHealth link={link.data} />}
          </>
        )}
      </QueryContent>
    </Card>
  );
}

const LIGHTS: Record<DaemonStatus['sending']['light'], { hue: Hue; word: string }> = {
  green: { hue: 'ok', word: 'Good standing' },
  amber: { hue: 'held', word: 'Slowed down' },
  red: { hue: 'bad', word: 'Refused' },
};

interface HealthVerdictProps {
  readonly status: DaemonStatus;
  readonly link: LinkBody | undefined;
}

/** The connection is judged before the account: an unconnected account is neither healthy nor unhealthy. */
function HealthVerdict({ status, link }: HealthVerdictProps) {
  const now = useNow();
  const { hue, word } = LIGHTS[status.sending.light];
  const shown =
    link === undefined || link.status === 'connected'
      ? { hue, word, sentence: status.sending.sentence }
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
  if (!caps.enabled) return <p className={`${classes.meters} small dim`}>Pacing is off.</p>;
  return (
    <div className={classes.meters}>
      <Meter label="Sent this hour" n={sending.sent_this_hour} of={caps.per_hour} />
      <Meter label="Sent in 24 hours" n={sending.sent_today} of={caps.per_day} />
      <Meter
        label="New people in 24 hours"
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
        <b>{n}</b> <span className="dim">of {of}</span>
      </span>
      <Progress
        value={of === 0 ? 0 : (n / of) * 100}
        size={6}
        aria-label={`${label}: ${n} of ${of}`}
      />
    </div>
  );
}

function LinkHealth({ link: { health } }: { readonly link: LinkBody }) {
  const now = useNow();
  return (
    <dl className={`${parts.facts} num`}>
      <dt>Last heard</dt>
      <dd>{health.lastStanzaAt === null ? 'not yet' : formatAgo(health.lastStanzaAt, now)}</dd>
      <dt>Round trip</dt>
      <dd>{health.pingMs === null ? 'not measured' : `${Math.round(health.pingMs)} ms`}</dd>
      <dt>Reconnects this hour</dt>
      <dd>{health.flaps}</dd>
      <dt>Could not decrypt</dt>
      <dd>
        {health.undecryptable} of {groupDigits(health.received)}
      </dd>
    </dl>
  );
}
