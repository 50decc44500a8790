// Somebody's initials in a circle, or a question mark for whoever has no name. Decoration: the name stands beside it.

import classes from './initials.module.css';
import { initialsOf } from './initials.ts';

export function Initials({ name }: { readonly name: string | null }) {
  const initials = name === null ? '' : initialsOf(name);
  return (
    <span className={classes.initials} data-unknown={initials === '' || undefined} aria-hidden>
      {initials === '' ? '?' : initials}
    </span>
  );
}
