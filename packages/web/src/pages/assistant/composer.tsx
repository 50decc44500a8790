// Where the owner asks. Enter asks, Shift with it breaks the line; what is typed is kept over a reload.
import { Button, Textarea } from '@mantine/core';
import { MOST_ASKED } from '@relay/core/assistant/asked';
import { IconPlayerStop, IconSend } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { grouped } from '../../parts/numbers.ts';
import classes from './assistant.module.css';

const KEPT = 'relay-assistant-draft';

interface ComposerProps {
  /** Stays with the field. */
  readonly note: ReactNode;
  readonly isOff: boolean;
  readonly isRunning: boolean;
  /** Put into the field, not asked: a suggestion, or a question from another page. */
  readonly suggested: string | null;
  onAsk(text: string): void;
  onStop(): void;
}

export function Composer({ note, isOff, isRunning, suggested, onAsk, onStop }: ComposerProps) {
  const [text, setText] = useState(() => sessionStorage.getItem(KEPT) ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (text === '') sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, text);
  }, [text]);
  useEffect(() => {
    if (suggested === null) return;
    setText(suggested);
    field.current?.focus();
  }, [suggested]);
  const isLong = text.length > MOST_ASKED;
  const canAsk = !isOff && !isRunning && !isLong && text.trim() !== '';
  const ask = () => {
    if (!canAsk) return;
    onAsk(text.trim());
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    ask();
  };
  return (
    <div className={classes.composer}>
      {note && <div className={classes.above}>{note}</div>}
      <Textarea
        ref={field}
        aria-label="Ask your assistant"
        placeholder="Ask, send or schedule …"
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
        error={
          isLong &&
          `A question takes ${grouped(MOST_ASKED)} characters; this has ${grouped(text.length)}.`
        }
      />
      {isRunning ? (
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          onClick={() => {
            onStop();
            field.current?.focus();
          }}
        >
          Stop
        </Button>
      ) : (
        <Button leftSection={<IconSend size={16} aria-hidden />} onClick={ask} disabled={!canAsk}>
          Ask
        </Button>
      )}
    </div>
  );
}
