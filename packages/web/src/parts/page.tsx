// The head of a page: the sentence that answers its question. After a navigation the shell gives it the focus, so that
// a reader of the screen hears where they are; the tab says the page's name.

import type { TablerIcon } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId } from 'react';
import type { Hue } from '../theme/theme.ts';
import classes from './parts.module.css';

interface PageProps {
  /** In the tab, as the navigation names it. */
  readonly title: string;
  readonly sentence: ReactNode;
  readonly eyebrow?: ReactNode;
  readonly lead?: ReactNode;
  readonly acts?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, sentence, eyebrow, lead, acts, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Relay`;
  }, [title]);
  return (
    <>
      <header className={classes.head}>
        <div>
          {eyebrow !== undefined && <p className={classes.eyebrow}>{eyebrow}</p>}
          <h1 tabIndex={-1}>{sentence}</h1>
          {lead !== undefined && <p className={classes.lead}>{lead}</p>}
        </div>
        {acts !== undefined && <div className={classes.acts}>{acts}</div>}
      </header>
      {children}
    </>
  );
}

// A card: a named section with a border, its head and what it holds.

interface CardProps {
  readonly title: ReactNode;
  /** Beside the title. */
  readonly mark?: ReactNode;
  /** At the end of the head's line. */
  readonly aside?: ReactNode;
  /** Rows reach from edge to edge. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Card({ title, mark, aside, flush = false, className, children }: CardProps) {
  const id = useId();
  return (
    <section className={`${classes.card} ${className ?? ''}`} aria-labelledby={id}>
      <div className={classes.cardHead}>
        <h2 id={id}>{title}</h2>
        {mark}
        {aside !== undefined && <span>{aside}</span>}
      </div>
      {flush ? children : <div className={classes.cardBody}>{children}</div>}
    </section>
  );
}

// Something said in place: what was refused, what moved on, what is held.

interface NoteProps {
  readonly hue: Hue;
  readonly icon: TablerIcon;
  readonly children: ReactNode;
  /** Buttons at its end. */
  readonly acts?: ReactNode;
  readonly role?: 'status' | 'alert';
}

export function Note({ hue, icon: Icon, children, acts, role }: NoteProps) {
  return (
    <div className={classes.note} data-hue={hue} role={role}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <div>{children}</div>
      {acts}
    </div>
  );
}

// A sentence of Relay's: commands stand between backticks in all of them.

export function Sentence({ text }: { readonly text: string }) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>));
}
