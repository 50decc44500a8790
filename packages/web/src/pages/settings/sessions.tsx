// Who is signed in: this browser, and all of them. Signing out everywhere asks first.
import { Button } from '@mantine/core';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone, useLive } from '../../data/use-live.ts';
import { Card } from '../../parts/card.tsx';
import { ask } from '../../shell/asking.tsx';
import classes from './settings.module.css';

export function SessionsCard() {
  const isGone = useIsGone();
  const live = useLive();
  const onDone = () => live.signedOut();
  const leave = useAct({ act: () => relay.post('/api/logout'), touches: [], onDone });
  const leaveAll = useAct({ act: () => relay.post('/api/logout/everywhere'), touches: [], onDone });
  const askFirst = () =>
    ask({
      title: 'Sign out everywhere?',
      words:
        'Every browser has to be let in again with relay open, this one too. Programs keep their tokens, and Relay goes on.',
      yes: 'Sign out everywhere',
      no: 'Stay signed in',
      isGrave: true,
      onYes: () => leaveAll.mutate(),
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
          onClick={askFirst}
        >
          Sign out everywhere
        </Button>
      </div>
    </Card>
  );
}
