// Stopping asks first: what happens from now on, and whether what was kept goes too.
import { Button, Checkbox, Modal } from '@mantine/core';
import type { ObservedGroup } from '@relay/core/api/observed-groups';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { plural } from '../../parts/numbers.ts';
import classes from './groups.module.css';
import { retentionQuery } from './queries.ts';

interface StopModalProps {
  readonly group: ObservedGroup;
  readonly isOpen: boolean;
  onClose(): void;
}

export function StopModal({ group, isOpen, onClose }: StopModalProps) {
  const { data: retention } = useQuery(retentionQuery);
  const [erases, setErases] = useState(false);
  const isGone = useIsGone();
  const stop = useAct({
    act: () =>
      relay.delete('/api/observed-groups/{id}', {
        path: { id: group.chat_id },
        query: { erase: erases ? 'true' : 'false' },
      }),
    touches: ['groups', 'digests', 'status', 'ledger'],
    done: erases
      ? `${group.name} is no longer read, and what was kept is erased.`
      : `${group.name} is no longer read.`,
    onDone: onClose,
  });
  const limits = retention?.limits;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={`Stop observing ${group.name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <p>
        Nothing more is read there and no digest is made.{' '}
        {limits !== undefined &&
          `What was kept stays until its limit: messages ${plural(limits.observed_messages_days, 'day')}, digests ${plural(limits.digests_days, 'day')}.`}
      </p>
      <Checkbox
        my={14}
        checked={erases}
        onChange={(event) => setErases(event.currentTarget.checked)}
        label="Also erase what was kept"
        description="Its messages, digests and facts go now, and cannot be brought back."
      />
      <div className={classes.acts}>
        <Button
          color="red"
          disabled={isGone}
          loading={stop.isPending}
          onClick={() => stop.mutate()}
        >
          {erases ? 'Stop and erase' : 'Stop observing'}
        </Button>
        <Button variant="default" onClick={onClose}>
          Go on observing
        </Button>
      </div>
    </Modal>
  );
}
