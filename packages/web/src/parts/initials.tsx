// The initials of a person or group in a circle, or a question mark without a name. Decorative: the name is beside it.
import classes from './initials.module.css';

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

// The first letters of the first and the last word of a name. Pure. A number has none.

const LETTER = /\p{L}/u;

function initialsOf(name: string): string {
  const words = name.split(/\s+/).flatMap((word) => LETTER.exec(word)?.[0] ?? []);
  const [first = '', ...more] = words;
  return `${first}${more.at(-1) ?? ''}`.toUpperCase();
}
