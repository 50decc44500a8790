// The board: a column a turn, a card a conversation. A column asks for as much as it shows, and holds still while a
// pointer is inside. On a phone one turn is shown at a time, and only that one is asked for.
import { Button, SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { InstanceCounts } from '@relay/core/api/instances';
import { TURNS, type Turn } from '@relay/core/conversation/turns';
import { IconTargetArrow } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useInTurn, useSoon } from '../../parts/later.tsx';
import parts from '../../parts/parts.module.css';
import { Asked, Empty } from '../../parts/places.tsx';
import { useKeys } from '../../shell/keys.tsx';
import { LoadingCards } from './card.tsx';
import { Column } from './column.tsx';
import classes from './conversations.module.css';
import { countsQuery } from './queries.ts';
import type { ConversationsSearch } from './search.ts';
import { type Step, useSteps } from './use-steps.ts';
import { allOf, TURNS_SHOWN } from './words.ts';

interface BoardProps {
  readonly search: ConversationsSearch;
  onBegin(): void;
}

export function Board({ search, onBegin }: BoardProps) {
  const counts = useQuery(countsQuery);
  const isPhone = useMediaQuery('(max-width: 860px)', undefined, {
    getInitialValueInEffect: false,
  });
  return (
    <Asked query={counts} what="The conversations" loading={<LoadingBoard />}>
      {(known) => {
        if (allOf(known) === 0) return <NoConversations onBegin={onBegin} />;
        return isPhone ? <OneTurn counts={known} search={search} /> : <AllTurns counts={known} />;
      }}
    </Asked>
  );
}

function NoConversations({ onBegin }: Pick<BoardProps, 'onBegin'>) {
  return (
    <section className={parts.card}>
      <Empty
        icon={IconTargetArrow}
        hue="agent"
        title="No conversations yet."
        act={<Button onClick={onBegin}>New conversation</Button>}
      >
        Give Relay an objective and a person. It writes, waits for the answer, follows up, and asks
        you where it must not decide alone.
      </Empty>
    </section>
  );
}

const MOVES: Readonly<Record<string, Step>> = {
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
};

function AllTurns({ counts }: { readonly counts: InstanceCounts }) {
  const board = useRef<HTMLDivElement>(null);
  const { step, ...handlers } = useSteps(board, MOVES);
  // Five columns at once would keep whoever presses something waiting.
  const drawn = useInTurn(TURNS.length);
  useKeys(
    Object.fromEntries(Object.entries(MOVES).map(([name, by]) => [name, () => step(by)])),
    'Move between cards',
  );
  return (
    <div className={classes.board} ref={board} {...handlers}>
      {TURNS.map((turn, place) => (
        <Column key={turn} turn={turn} count={counts.by_turn[turn]} isTime={place < drawn} />
      ))}
    </div>
  );
}

function OneTurn({
  counts,
  search,
}: { readonly counts: InstanceCounts } & Pick<BoardProps, 'search'>) {
  const navigate = useNavigate({ from: '/conversations' });
  const turn = search.turn ?? 'you';
  const isTime = useSoon();
  return (
    <>
      <SegmentedControl
        fullWidth
        withItemsBorders={false}
        className={classes.turns ?? ''}
        aria-label="Whose turn"
        value={turn}
        onChange={(chosen) =>
          void navigate({ search: { ...search, turn: chosen as Turn }, replace: true })
        }
        data={TURNS.map((value) => ({
          value,
          label: (
            <>
              {TURNS_SHOWN[value].short}{' '}
              <small className="num">{short(counts.by_turn[value])}</small>
            </>
          ),
        }))}
      />
      <Column turn={turn} count={counts.by_turn[turn]} key={turn} isTime={isTime} />
    </>
  );
}

const compact = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });
const short = (n: number): string => compact.format(n);

const LoadingBoard = () => (
  <div className={classes.board}>
    {TURNS.map((turn) => (
      <div key={turn} className={classes.column} data-hue={TURNS_SHOWN[turn].hue}>
        <header className={classes.columnHead}>
          <h2>{TURNS_SHOWN[turn].title}</h2>
          <p>{TURNS_SHOWN[turn].note}</p>
        </header>
        <LoadingCards />
      </div>
    ))}
  </div>
);
