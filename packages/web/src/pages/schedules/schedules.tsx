// What will happen when: the next first, with what waits for a yes before it and what is over behind a filter.
import { Button, Modal, SegmentedControl } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCalendarPlus, IconCalendarTime, IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useNow } from '../../data/use-now.ts';
import { Card } from '../../parts/card.tsx';
import { Page } from '../../parts/page.tsx';
import { Asked, Empty, LoadingRows } from '../../parts/places.tsx';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import { NewSchedule } from './new-schedule.tsx';
import { PAGE_SIZE, schedulesQuery } from './queries.ts';
import { ScheduleRow } from './schedule-row.tsx';
import classes from './schedules.module.css';
import { readSchedulesSearch } from './search.ts';
import { WaitingCard } from './waiting.tsx';
import { schedulesSentence } from './words.ts';

export function Schedules() {
  const now = useNow(10_000);
  const coming = useQuery(schedulesQuery('active', 1));
  const [isMaking, { open, close }] = useDisclosure();
  useKeys({ n: open }, 'New schedule');
  const make = (
    <Button
      leftSection={<IconCalendarPlus size={17} stroke={1.7} aria-hidden />}
      rightSection={<KeyHint>N</KeyHint>}
      aria-keyshortcuts="n"
      onClick={open}
    >
      New schedule
    </Button>
  );
  const shown = coming.data?.slice(0, PAGE_SIZE) ?? [];
  const hasMore = (coming.data?.length ?? 0) > PAGE_SIZE;
  return (
    <Page
      title="Schedules"
      sentence={
        coming.data === undefined
          ? 'What will happen when?'
          : schedulesSentence(shown, hasMore, now)
      }
      lead="Each message leaves as the clocks of its zone show it, through the same gate as everything else."
      acts={make}
    >
      <WaitingCard />
      <Listed now={now} onNew={open} />
      <Modal
        opened={isMaking}
        onClose={close}
        size="lg"
        title="New schedule"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <NewSchedule onDone={close} />
      </Modal>
    </Page>
  );
}

function Listed({ now, onNew }: { readonly now: number; onNew(): void }) {
  const { show, page = 1 } = readSchedulesSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const state = show ?? 'active';
  const schedules = useQuery(schedulesQuery(state, page));
  return (
    <Card
      flush
      className={classes.card ?? ''}
      title={state === 'active' ? 'Next' : 'Over'}
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Which schedules"
          value={state}
          onChange={(next) =>
            void navigate({
              to: '/schedules',
              search: next === 'past' ? { show: next } : {},
              resetScroll: false,
            })
          }
          data={[
            { value: 'active', label: 'To come' },
            { value: 'past', label: 'Past' },
          ]}
        />
      }
    >
      <Asked query={schedules} what="The schedules" loading={<LoadingRows rows={4} />}>
        {(found) =>
          found.length === 0 ? (
            <Nothing state={state} onNew={onNew} />
          ) : (
            <>
              <ul className={classes.rows}>
                {found.slice(0, PAGE_SIZE).map((schedule) => (
                  <ScheduleRow key={schedule.id} schedule={schedule} now={now} />
                ))}
              </ul>
              <Turn
                page={page}
                hasMore={found.length > PAGE_SIZE}
                onPage={(next) =>
                  void navigate({
                    to: '/schedules',
                    search: { show, page: next === 1 ? undefined : next },
                  })
                }
              />
            </>
          )
        }
      </Asked>
    </Card>
  );
}

interface TurnProps {
  readonly page: number;
  readonly hasMore: boolean;
  onPage(page: number): void;
}

function Turn({ page, hasMore, onPage }: TurnProps): ReactNode {
  if (page === 1 && !hasMore) return null;
  return (
    <nav className={classes.turn} aria-label="Pages of schedules">
      <Button variant="default" size="xs" disabled={page === 1} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <Button variant="default" size="xs" disabled={!hasMore} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  );
}

function Nothing({ state, onNew }: { readonly state: 'active' | 'past'; onNew(): void }) {
  if (state === 'past')
    return <Empty icon={IconHistory} title="Nothing was scheduled and is over yet." />;
  return (
    <Empty
      icon={IconCalendarTime}
      title="Nothing is scheduled."
      act={
        <Button variant="default" onClick={onNew}>
          Schedule a message
        </Button>
      }
    >
      A message for later, once or again and again, leaves by itself when its time comes.
    </Empty>
  );
}
