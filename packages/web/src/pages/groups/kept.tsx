// The proof of deletion: how long what was read is kept, how old the oldest of it is, when the limits were enforced.
import { Button } from '@mantine/core';
import type { RetentionGroup, RetentionStatus } from '@relay/core/api/retention';
import { IconAlertTriangle, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { Card } from '../../parts/card.tsx';
import { Note } from '../../parts/note.tsx';
import { plural } from '../../parts/numbers.ts';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import { moment } from '../../parts/times.ts';
import classes from './groups.module.css';
import { Iconed } from './iconed.tsx';
import { retentionQuery } from './queries.ts';
import { enforcedWords } from './words.ts';

export function KeptCard({ id }: { readonly id: string }) {
  const retention = useQuery(retentionQuery);
  const isGone = useIsGone();
  const run = useAct({
    act: () => relay.post('/api/retention/run'),
    touches: ['groups', 'digests'],
  });
  return (
    <Card title={<Iconed icon={IconTrash}>Kept, and deleted</Iconed>}>
      <Asked query={retention} what="What is kept" loading={<LoadingLines lines={5} />}>
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
      </Asked>
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
        {oldest === null ? 'nothing kept' : `oldest ${moment(oldest, now)}`}
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
        : `Last enforced ${moment(last.at, now)}, ${enforcedWords(last)} ${last.scoured ? 'The database was written anew without it.' : ''}`}{' '}
      Next: {moment(next_run_at, now)}.
    </p>
  );
}
