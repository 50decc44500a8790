// The notification forwarder: reads groups from an Android phone, without a linked device. Its token is made in a
// terminal only, so the card says which command does.
import { Button } from '@mantine/core';
import { IconBellShare, IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { forwarderQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { ago } from '../../parts/times.ts';
import { ask } from '../../shell/asking.tsx';
import { ToolCard } from './tool-card.tsx';

export function ForwarderCard() {
  const forwarder = useQuery(forwarderQuery);
  const now = useNow(30_000);
  const isGone = useIsGone();
  const end = useAct({
    act: () => relay.delete('/api/ingest/token'),
    touches: ['tokens'],
    done: 'The forwarder’s token is ended.',
  });
  const askFirst = () =>
    ask({
      title: 'End the forwarder’s token?',
      words: 'What the phone forwards is refused from then on.',
      yes: 'End it',
      no: 'Keep it',
      isGrave: true,
      onYes: () => end.mutate(),
    });
  return (
    <ToolCard
      icon={IconBellShare}
      title="Notification forwarder"
      query={forwarder}
      standing={({ exists, last_used_at }) =>
        exists
          ? {
              says:
                last_used_at === null
                  ? 'A token is there; nothing was forwarded yet.'
                  : `Last forwarded ${ago(last_used_at, now)}.`,
              word: 'On',
              hue: 'ok',
              icon: IconCheck,
            }
          : {
              says: 'Reads groups from an Android phone, without a linked device. `relay observe token` makes its token.',
              word: 'Off',
              hue: 'parked',
              icon: IconCircleDashed,
            }
      }
      act={({ exists }) =>
        exists && (
          <Button
            variant="default"
            size="xs"
            disabled={isGone}
            loading={end.isPending}
            onClick={askFirst}
          >
            End
          </Button>
        )
      }
    />
  );
}
