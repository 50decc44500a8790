// The initials of somebody or of a group in a circle, or a question mark for whoever has no name. Decoration: the name
// stands beside it.

import classes from './initials.module.css';
import { initialsOf } from './initials.ts';

interface InitialsProps {
  readonly name: string | null;
  readonly large?: boolean;
}

export function Initials({ name, large = false }: InitialsProps) {
  const initials = name === null ? '' : initialsOf(name);
  return (
    <span
      className={classes.initials}
      data-size={large ? 'large' : undefined}
      data-unknown={initials === '' || undefined}
      aria-hidden
    >
      {initials === '' ? '?' : initials}
    </span>
  );
}
