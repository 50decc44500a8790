// How a question ended that was not answered, and the way to ask it again. What it had done stands in its answer and is
// known to the next turn; whatever would be sent is asked about again.
import { Button } from '@mantine/core';
import { IconAlertTriangle, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import type { Ending } from './turn.ts';

interface EndedProps {
  readonly ending: Ending;
  readonly isOff: boolean;
  onAgain(): void;
}

export function Ended({ ending, isOff, onAgain }: EndedProps) {
  if (ending.is === 'done') return null;
  const isStopped = ending.is === 'stopped';
  return (
    <Note
      hue={isStopped ? 'parked' : 'bad'}
      icon={isStopped ? IconPlayerStop : IconAlertTriangle}
      role={isStopped ? 'status' : 'alert'}
      acts={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={15} aria-hidden />}
          disabled={isOff}
          onClick={onAgain}
        >
          Ask again
        </Button>
      }
    >
      <EndingWords ending={ending} />
    </Note>
  );
}

function EndingWords({ ending }: { readonly ending: Exclude<Ending, { is: 'done' }> }) {
  switch (ending.is) {
    case 'stopped':
      return 'You stopped this.';
    case 'failed':
      return <Sentence text={ending.sentence} />;
    case 'cut':
      return (
        <>
          The answer broke off. Relay stops what nobody listens to; what it had done is told above
          once it is back, and nothing is sent twice without your yes.
        </>
      );
  }
}
