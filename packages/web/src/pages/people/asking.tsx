// Asks in place of a row, before something is opened wide or deleted. The focus stands on the way back.
import { Button } from '@mantine/core';
import { useEffect, useId, useRef } from 'react';
import { useIsGone } from '../../data/use-live.ts';
import type { Asked } from './asking-words.ts';
import classes from './people.module.css';

interface AskingProps extends Omit<Asked, 'flags'> {
  readonly isBusy: boolean;
  onYes(): void;
  onNo(): void;
}

export function Asking({ title, means, yes, no, isBusy, onYes, onNo }: AskingProps) {
  const id = useId();
  const isGone = useIsGone();
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  return (
    <li>
      <div
        className={classes.asking}
        role="alertdialog"
        aria-labelledby={id}
        aria-describedby={`${id}-means`}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onNo();
        }}
      >
        <div>
          <b id={id} dir="auto">
            {title}
          </b>
          <p id={`${id}-means`} className="small dim" dir="auto">
            {means}
          </p>
        </div>
        <Button
          size="xs"
          {...(yes === 'Delete' ? { color: 'red' } : {})}
          disabled={isGone}
          loading={isBusy}
          onClick={onYes}
        >
          {yes}
        </Button>
        <Button ref={back} variant="default" size="xs" onClick={onNo}>
          {no}
        </Button>
      </div>
    </li>
  );
}
