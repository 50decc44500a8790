// The head of a page: the sentence that answers its question. After a navigation the shell gives it the focus, so that
// a reader of the screen hears where they are; the tab says the page's name.
import { type ReactNode, useEffect } from 'react';
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
