// Disconnecting asks in place: what happens, and whether the saved session goes too.
import { Button, Checkbox } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useIsGone } from '../../data/use-live.ts';
import classes from './tools.module.css';

interface DisconnectDialogProps {
  readonly isBusy: boolean;
  onConfirm(clearSession: boolean): void;
  onCancel(): void;
}

export function DisconnectDialog({ isBusy, onConfirm, onCancel }: DisconnectDialogProps) {
  const [clears, setClears] = useState(false);
  const isGone = useIsGone();
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <div
      className={classes.ask}
      role="alertdialog"
      aria-labelledby="disconnect"
      aria-describedby="disconnect-why"
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <h3 id="disconnect">Disconnect WhatsApp?</h3>
      <p id="disconnect-why" className="small dim">
        Conversations wait until you connect again. Messages that arrive meanwhile are fetched
        later.
      </p>
      <Checkbox
        checked={clears}
        onChange={(event) => setClears(event.currentTarget.checked)}
        label="Also clear the saved session"
        description="Unlinks this device. You will need to scan a new code. History and grants stay."
        my={14}
      />
      <div className={classes.acts}>
        <Button color="red" onClick={() => onConfirm(clears)} disabled={isGone} loading={isBusy}>
          Disconnect
        </Button>
        <Button ref={stay} variant="default" onClick={onCancel}>
          Stay connected
        </Button>
      </div>
    </div>
  );
}
