// The other conversations beside the one that is read, by whose turn it is: the way on without going back.
import { ActionIcon } from '@mantine/core';
import type { ListedInstance } from '@relay/core/api/instances';
import type { Turn } from '@relay/core/conversation/turns';
import { IconLayoutBoard } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNow } from '../../../data/use-now.ts';
import { useFollow } from '../../../parts/follow.ts';
import { useSoon } from '../../../parts/later.tsx';
import { named } from '../../../parts/numbers.ts';
import { STATES_SHOWN, stateWord } from '../../../parts/state-badge.tsx';
import { span } from '../../../parts/times.ts';
import classes from './conversation.module.css';
import { doneOf } from './plan.tsx';
import { railQuery } from './queries.ts';

const TURNS = [
  { turn: 'you', words: 'Your turn' },
  { turn: 'agent', words: 'Agent’s turn' },
  { turn: 'them', words: 'Their turn' },
  { turn: 'parked', words: 'Parked' },
] as const;

export function Rail({ current }: { readonly current: string }) {
  const isTime = useSoon();
  const follow = useFollow();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: what is clicked are links, and Enter on a link clicks it
    <nav className={classes.rail} aria-label="Conversations by turn" onClick={follow}>
      <div>
        <h2>Conversations</h2>
        <ActionIcon
          component={Link}
          to="/conversations"
          activeOptions={{ exact: true }}
          aria-label="All conversations"
        >
          <IconLayoutBoard size={18} stroke={1.7} />
        </ActionIcon>
      </div>
      {isTime &&
        TURNS.map(({ turn, words }) => (
          <TurnGroup key={turn} turn={turn} words={words} current={current} />
        ))}
    </nav>
  );
}

interface TurnGroupProps {
  readonly turn: Turn;
  readonly words: string;
  readonly current: string;
}

function TurnGroup({ turn, words, current }: TurnGroupProps) {
  const { data = [] } = useQuery(railQuery(turn));
  const now = useNow(30_000);
  if (data.length === 0) return null;
  return (
    <section data-hue={turn}>
      <h3>{words}</h3>
      <ul>
        {data.map((instance) => (
          <Entry
            key={instance.id}
            instance={instance}
            now={now}
            isCurrent={instance.id === current}
          />
        ))}
      </ul>
    </section>
  );
}

interface EntryProps {
  readonly instance: ListedInstance;
  readonly now: number;
  readonly isCurrent: boolean;
}

function Entry({ instance, now, isCurrent }: EntryProps) {
  const { hue, icon: Icon } = STATES_SHOWN[instance.state];
  const needsYes = instance.approval_id !== null;
  return (
    <li>
      <a href={`/conversations/${instance.id}`} aria-current={isCurrent ? 'page' : undefined}>
        <span>
          <b dir="auto">{instance.contact_name ?? named(instance.target_contact)}</b>
          <time dateTime={instance.updated_at}>{span(now - Date.parse(instance.updated_at))}</time>
        </span>
        <span dir="auto">{instance.objective}</span>
        <span data-hue={needsYes ? 'you' : hue}>
          <Icon size={14} stroke={2} aria-hidden />
          {stateWord(instance)}
          {needsYes && ', needs your yes'}
          {instance.todos.length > 0 && <small className="num">{doneOf(instance)}</small>}
        </span>
      </a>
    </li>
  );
}
