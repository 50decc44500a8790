// The head of a page: its title and summary. After a navigation the shell focuses the title, so that screen readers
// announce the page.

import type { TablerIcon } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId } from 'react';
import { sentenceDirection } from '../i18n.ts';
import type { Hue } from '../theme/theme.ts';
import classes from './parts.module.css';

interface PageProps {
  /** A noun, as in the navigation; the browser's tab shows it too. */
  readonly title: string;
  /** The place of the page among others: `Conversations`. */
  readonly eyebrow?: ReactNode;
  /** One line: what is here now. */
  readonly summary?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, eyebrow, summary, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Relay`;
  }, [title]);
  return (
    <>
      <header className={classes.head}>
        <div>
          {eyebrow !== undefined && <p className={classes.eyebrow}>{eyebrow}</p>}
          <h1 tabIndex={-1}>{title}</h1>
          {summary !== undefined && <p className={classes.lead}>{summary}</p>}
        </div>
        {actions !== undefined && <div className={classes.acts}>{actions}</div>}
      </header>
      {children}
    </>
  );
}

// A card: a named section with a border, a head and content.

interface CardProps {
  readonly title: ReactNode;
  /** Beside the title. */
  readonly badge?: ReactNode;
  /** At the end of the head's line. */
  readonly aside?: ReactNode;
  /** Rows extend from edge to edge. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Card({ title, badge, aside, flush = false, className, children }: CardProps) {
  const id = useId();
  return (
    <section className={`${classes.card} ${className ?? ''}`} aria-labelledby={id}>
      <div className={classes.cardHead}>
        <h2 id={id}>{title}</h2>
        {badge}
        {aside !== undefined && <span>{aside}</span>}
      </div>
      {flush ? children : <div className={classes.cardBody}>{children}</div>}
    </section>
  );
}

// A note in place: a refusal, a change, a hold.

interface NoteProps {
  readonly hue: Hue;
  readonly icon: TablerIcon;
  readonly children: ReactNode;
  /** Buttons at its end. */
  readonly actions?: ReactNode;
  readonly role?: 'status' | 'alert';
}

export function Note({ hue, icon: Icon, children, actions, role }: NoteProps) {
  return (
    <div className={classes.note} data-hue={hue} role={role}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <div>{children}</div>
      {actions}
    </div>
  );
}

// A sentence from Relay: commands are between backticks.

export function Sentence({ text }: { readonly text: string }) {
  return (
    <span dir={sentenceDirection(text)}>
      {text
        .split('`')
        .map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))}
    </span>
  );
}
