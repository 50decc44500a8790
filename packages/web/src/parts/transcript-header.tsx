// The header of a chat or a conversation: back link, title, subtitle, and badges or buttons. Where the list is visible
// the page hides the back link.
import { ActionIcon } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './talk-head.module.css';

interface TranscriptHeaderProps {
  readonly back: {
    readonly to: '/chats' | '/conversations';
    readonly label: string;
    readonly className: string | undefined;
  };
  readonly title: string;
  readonly about: ReactNode;
  /** Badges stay beside the title; buttons go below it on a phone. */
  readonly end: 'badges' | 'buttons';
  readonly children: ReactNode;
}

export function TranscriptHeader({ back, title, about, end, children }: TranscriptHeaderProps) {
  return (
    <header className={classes.head} data-end={end}>
      <ActionIcon
        className={back.className}
        component={Link}
        to={back.to}
        activeOptions={{ exact: true }}
        aria-label={back.label}
      >
        <IconArrowLeft className="mirrored" size={19} stroke={1.7} />
      </ActionIcon>
      <div>
        <h1 tabIndex={-1} dir="auto">
          {title}
        </h1>
        {about}
      </div>
      {children}
    </header>
  );
}
