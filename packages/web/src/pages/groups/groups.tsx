// Groups & digests: what did I miss. The groups that are read in silence, and one of them with its day, what that
// cost and spared, and the proof that nothing was said there.
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useIsGone } from '../../data/use-live.ts';
import { Page } from '../../parts/page.tsx';
import { Asked, Empty } from '../../parts/places.tsx';
import { Group } from './group.tsx';
import { GroupList, Totals } from './group-list.tsx';
import classes from './groups.module.css';
import { LoadingGroup } from './loading.tsx';
import { ObserveModal } from './observe.tsx';
import { observedQuery, retentionQuery } from './queries.ts';
import { groupsLead, groupsSentence } from './words.ts';

export function Groups() {
  const observed = useQuery(observedQuery);
  const { data: kept } = useQuery(retentionQuery);
  const { id } = useParams({ strict: false });
  const [isOpen, { open, close }] = useDisclosure();
  const isGone = useIsGone();
  const former = kept?.groups.filter((group) => !group.observed) ?? [];
  const chosen = id ?? observed.data?.[0]?.chat_id ?? former[0]?.chat_id;
  const observe = (
    <Button
      variant={chosen === undefined ? 'filled' : 'default'}
      leftSection={<IconPlus size={17} />}
      disabled={isGone}
      onClick={open}
    >
      Observe a group
    </Button>
  );
  return (
    <Page
      title="Groups & digests"
      sentence={
        observed.data === undefined ? notKnown(observed.isPending) : groupsSentence(observed.data)
      }
      lead={observed.data && groupsLead(observed.data)}
      acts={chosen === undefined ? undefined : observe}
    >
      <Asked query={observed} what="The observed groups" loading={<LoadingGroup />}>
        {(groups) =>
          chosen === undefined ? (
            <section className={classes.none}>
              <Empty icon={IconUsersGroup} title="No group is observed." act={observe}>
                Relay can read a group for you and sum it up by hour and by day. It stays silent
                there.
              </Empty>
            </section>
          ) : (
            <div className={classes.page}>
              <aside className={classes.side} aria-label="Groups">
                <GroupList groups={groups} former={former} chosen={chosen} />
                <Totals groups={groups} />
              </aside>
              <Group
                key={chosen}
                id={chosen}
                group={groups.find(({ chat_id }) => chat_id === chosen)}
                former={former.find(({ chat_id }) => chat_id === chosen)}
              />
            </div>
          )
        }
      </Asked>
      <ObserveModal isOpen={isOpen} onClose={close} />
    </Page>
  );
}

const notKnown = (isPending: boolean): string =>
  isPending ? 'Asking Relay what it reads …' : 'What Relay reads cannot be said right now.';
