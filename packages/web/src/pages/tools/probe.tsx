// The message to oneself that proves the wire: it passes the gate like any other, and how it went is said in place,
// with its seconds.
import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconClockPause } from '@tabler/icons-react';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';

export function useProbe() {
  return useAct({
    async act() {
      const began = performance.now();
      const answer = await relay.post('/api/whatsapp/probe');
      return { ...answer, seconds: (performance.now() - began) / 1_000 };
    },
    touches: ['messages', 'status', 'ledger'],
    quiet: true,
  });
}

interface ProbeProps {
  readonly probe: ReturnType<typeof useProbe>;
}

export function ProbeButton({ probe }: ProbeProps) {
  const isGone = useIsGone();
  return (
    <Button
      variant="default"
      disabled={isGone}
      loading={probe.isPending}
      onClick={() => probe.mutate()}
    >
      Message yourself
    </Button>
  );
}

export function Probed({ probe: { data, error } }: ProbeProps) {
  if (error) {
    return (
      <Note hue="bad" icon={IconAlertTriangle} role="alert">
        <Sentence text={sentenceOf(error)} />
      </Note>
    );
  }
  if (data === undefined) return null;
  return (
    <Note
      hue={data.arrived ? 'ok' : 'held'}
      icon={data.arrived ? IconCircleCheck : IconClockPause}
      role="status"
    >
      <Sentence text={data.sentence} /> <span className="dim num">{data.seconds.toFixed(1)} s</span>
    </Note>
  );
}
