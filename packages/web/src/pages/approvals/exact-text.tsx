// The exact text, byte for byte as it would be sent, and whether it has been on the screen to its end. While it is
// edited a field stands in its place; nothing is sent from there.

import { Textarea } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import type { Approval } from '@relay/core/api/approvals';
import { LIMITS } from '@relay/core/conversation/limits';
import { visible } from '@relay/core/messages/visible';
import { IconHash } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef } from 'react';
import { plural } from '../../parts/numbers.ts';
import classes from './approvals.module.css';
import { exactly, shortHash } from './words.ts';

interface ExactTextProps {
  readonly approval: Approval;
  /** The words that are being written; null while the text is only read. */
  readonly edited: string | null;
  onEdit(text: string): void;
  /** Left out while there is nothing new to keep. */
  readonly onKeep: (() => void) | undefined;
  onSeen(): void;
}

export function ExactText({ approval, edited, onEdit, onKeep, onSeen }: ExactTextProps) {
  const { kind, text, shown, when } = approval;
  if (edited !== null) {
    return (
      <section className={classes.part} aria-label="Change the text">
        <Textarea
          label="Your own words"
          description="A new text needs a new yes: nothing is sent yet."
          autosize
          autoFocus
          minRows={3}
          maxRows={14}
          maxLength={kind === 'create_conversation' ? LIMITS.objective : LIMITS.message}
          dir="auto"
          value={edited}
          onChange={(event) => onEdit(event.currentTarget.value)}
          onKeyDown={getHotkeyHandler([['mod+Enter', () => onKeep?.()]])}
        />
      </section>
    );
  }
  return (
    <section className={classes.part} aria-label={exactly(approval)}>
      <p className={classes.label}>{exactly(approval)}</p>
      <Bubble key={shown} text={text} onSeen={onSeen} />
      {when !== null && (
        <p className="small" dir="auto">
          <b>When:</b> {when}
        </p>
      )}
      <p
        className={classes.hash}
        title="The hash of recipient and text: your yes is good for exactly this."
      >
        <IconHash size={13} aria-hidden />
        {shortHash(shown)} · {plural([...text].length, 'character')}
      </p>
    </section>
  );
}

/** A key pressed once too often must not be a yes to what has only just come up. */
const GLANCE_MS = 600;

function Bubble({ text, onSeen }: { readonly text: string; readonly onSeen: () => void }) {
  const end = useRef<HTMLSpanElement>(null);
  const seen = useEffectEvent(onSeen);
  useEffect(() => {
    if (end.current === null) return;
    let looking: ReturnType<typeof setTimeout> | undefined;
    const watching = new IntersectionObserver(
      ([entry]) => {
        clearTimeout(looking);
        if (entry?.isIntersecting === true) looking = setTimeout(seen, GLANCE_MS);
      },
      // What lies under the acts, and on a phone under the bar of pages, is not on the screen.
      {
        rootMargin: matchMedia('(max-width: 860px)').matches
          ? '0px 0px -140px 0px'
          : '0px 0px -64px 0px',
      },
    );
    watching.observe(end.current);
    return () => {
      clearTimeout(looking);
      watching.disconnect();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keyboard
    <section className={classes.bubble} tabIndex={0} aria-label="The text">
      <p dir="auto">{visible(text)}</p>
      <span ref={end} className={classes.end} />
    </section>
  );
}
