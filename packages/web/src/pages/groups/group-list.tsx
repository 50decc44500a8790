// The groups, each with how it stands; below them what reading all of them took and spared.
import { Progress } from '@mantine/core';
import type { ObservedGroup } from '@relay/core/api/observed-groups';
import type { RetentionGroup } from '@relay/core/api/retention';
import { IconEyeOff, IconMessageReply, IconVolumeOff, type TablerIcon } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useNow } from '../../data/use-now.ts';
import { Initials } from '../../parts/initials.tsx';
import parts from '../../parts/parts.module.css';
import { moment } from '../../parts/times.ts';
import classes from './groups.module.css';
import { short, totals } from './words.ts';

interface GroupListProps {
  readonly groups: readonly ObservedGroup[];
  /** No longer observed; what was kept of them is still there. */
  readonly former: readonly RetentionGroup[];
  readonly chosen: string;
}

export function GroupList({ groups, former, chosen }: GroupListProps) {
  const now = useNow(60_000);
  return (
    <ul className={classes.list}>
      {groups.map((group) => (
        <Entry
          key={group.chat_id}
          id={group.chat_id}
          name={group.name}
          chosen={chosen}
          icon={group.may_answer ? IconMessageReply : IconVolumeOff}
          says={
            group.last_digest_at === null
              ? 'no digest yet'
              : `digested up to ${moment(group.last_digest_at, now)}`
          }
        />
      ))}
      {former.map((group) => (
        <Entry
          key={group.chat_id}
          id={group.chat_id}
          name={group.name ?? 'A group'}
          chosen={chosen}
          icon={IconEyeOff}
          says="no longer observed"
        />
      ))}
    </ul>
  );
}

interface EntryProps {
  readonly id: string;
  readonly name: string;
  readonly chosen: string;
  readonly icon: TablerIcon;
  readonly says: string;
}

function Entry({ id, name, chosen, icon: Icon, says }: EntryProps) {
  return (
    <li>
      <Link
        to="/groups/$id"
        params={{ id }}
        search={{}}
        className={classes.entry}
        aria-current={id === chosen ? 'page' : undefined}
      >
        <Initials name={name} />
        <span>
          <b dir="auto">{name}</b>
          <small>{says}</small>
        </span>
        <Icon size={16} stroke={1.7} aria-hidden />
      </Link>
    </li>
  );
}

export function Totals({ groups }: { readonly groups: readonly ObservedGroup[] }) {
  if (groups.length === 0) return null;
  const { spent, avoided, share } = totals(groups);
  return (
    <section className={`${parts.card} ${classes.totals}`} aria-labelledby="totals">
      <h2 id="totals">All groups</h2>
      <p className={`${classes.figure} ${classes.avoided}`}>
        <b className="num">{short(avoided)}</b>
        <span>tokens avoided</span>
      </p>
      <Progress value={share} size={6} aria-label={`${share}% of the tokens were avoided`} />
      <p className="small dim num">
        {share}% of all; {short(spent)} were spent
      </p>
      <table className={`${classes.tally} num`}>
        <thead>
          <tr>
            <th scope="col">
              <span className="unseen">Group</span>
            </th>
            <th scope="col">spent</th>
            <th scope="col">avoided</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.chat_id}>
              <th scope="row" dir="auto">
                {group.name}
              </th>
              <td>{short(group.tokens_spent)}</td>
              <td className="dim">{short(group.tokens_avoided)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
