// Who is signed in: this browser, and all of them. Signing out everywhere asks first.
import { Button } from '@mantine/core';
import { modals } from '@mantine/modals';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone, useLive } from '../../data/use-live.ts';
import { Card } from '../../parts/card.tsx';
import classes from './settings.module.css';

export function SessionsCard() {
  const isGone = useIsGone();
  const live = useLive();
  const onDone = () => live.signedOut();
  const leave = useAct({ act: () => relay.post('/api/logout'), touches: [], onDone });
  const leaveAll = useAct({ act: () => relay.post('/api/logout/everywhere'), touches: [], onDone });
  const ask = () =>
    modals.openConfirmModal({
      title: 'Sign out everywhere?',
      children:
        'Every browser has to be let in again with relay open, this one too. Programs keep their tokens, and Relay goes on.',
      labels: { confirm: 'Sign out everywhere', cancel: 'Stay signed in' },
      confirmProps: { color: 'red' },
      onConfirm: () => leaveAll.mutate(),
    });
  return (
    <Card title="Signed-in browsers">
      <p className="small dim">
        <code>relay open</code> signs a browser in for a week. Programs have tokens of their own,
        under Tools.
      </p>
      <div className={classes.acts}>
        <Button
          variant="default"
          disabled={isGone}
          loading={leave.isPending}
          onClick={() => leave.mutate()}
        >
          Sign out here
        </Button>
        <Button
          variant="outline"
          color="red"
          disabled={isGone}
          loading={leaveAll.isPending}
          onClick={ask}
        >
          Sign out everywhere
        </Button>
      </div>
    </Card>
  );
}
