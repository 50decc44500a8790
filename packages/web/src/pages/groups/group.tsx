// One group: since when it is read, the figures of the day in view, its digests, and the proofs beside them.
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { GroupDay } from '@relay/core/api/digests';
import type { ObservedGroup } from '@relay/core/api/observed-groups';
import type { RetentionGroup } from '@relay/core/api/retention';
import { IconEyeOff, IconMessageReply, IconPlayerPause, IconVolumeOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { Initials } from '../../parts/initials.tsx';
import { Badge } from '../../parts/marks.tsx';
import { grouped } from '../../parts/numbers.ts';
import parts from '../../parts/parts.module.css';
import { moment } from '../../parts/times.ts';
import { DigestsCard } from './digests.tsx';
import classes from './groups.module.css';
import { ImportCard } from './import-chat.tsx';
import { KeptCard } from './kept.tsx';
import { OutsideCard } from './outside.tsx';
import { groupDayQuery } from './queries.ts';
import { SilenceCard } from './silence.tsx';
import { StopModal } from './stop.tsx';
import { TokensCard } from './tokens.tsx';
import { dayTitle, noise, short } from './words.ts';

interface GroupProps {
  readonly id: string;
  readonly group: ObservedGroup | undefined;
  readonly former: RetentionGroup | undefined;
}

export function Group({ id, group, former }: GroupProps) {
  const view = useSearch({ strict: false });
  const day = useQuery(groupDayQuery(id, view.day));
  const name = group?.name ?? former?.name ?? day.data?.group ?? 'This group';
  return (
    <div className={classes.main}>
      <Head name={name} group={group} />
      <Figures day={day.data ?? undefined} group={group} />
      <div className={classes.columns}>
        <div className={classes.stack}>
          <DigestsCard id={id} name={name} day={day} oldest={group?.oldest_message_at ?? null} />
          {group !== undefined && <TokensCard days={group.days} />}
        </div>
        <div className={classes.stack}>
          {group !== undefined && <SilenceCard group={group} />}
          <KeptCard id={id} />
          <OutsideCard />
          <ImportCard />
        </div>
      </div>
    </div>
  );
}

function Head({
  name,
  group,
}: {
  readonly name: string;
  readonly group: ObservedGroup | undefined;
}) {
  const now = useNow(60_000);
  const isGone = useIsGone();
  const [isAsking, { open, close }] = useDisclosure();
  return (
    <header className={classes.head}>
      <Initials name={name} large />
      <div>
        <h2 dir="auto">{name}</h2>
        <p className="small dim">
          {group === undefined
            ? 'No longer observed. What was kept goes at its limit.'
            : `Observed since ${moment(group.since, now)} · hours and days by ${group.zone}`}
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
          <StopModal group={group} isOpen={isAsking} onClose={close} />
        </>
      )}
    </header>
  );
}

interface FiguresProps {
  readonly day: GroupDay | undefined;
  readonly group: ObservedGroup | undefined;
}

/** Of the day in view. */
function Figures({ day, group }: FiguresProps) {
  const now = useNow(60_000);
  const on = day === undefined ? '' : dayWord(dayTitle(day, now));
  return (
    <dl className={`${parts.card} ${classes.figures} num`}>
      <Figure
        value={day && grouped(day.messages_kept + day.messages_cut)}
        says={`messages ${on}`}
      />
      <Figure value={day && noise(day)} says="noise, no model used" />
      <Figure value={day && short(day.tokens_spent)} says="tokens spent" />
      <Figure value={day && short(day.tokens_saved)} says="tokens avoided" />
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
