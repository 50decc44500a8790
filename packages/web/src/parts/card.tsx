// A card: a named section with a border, its head and what it holds.
import { type ReactNode, useId } from 'react';
import classes from './parts.module.css';

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
