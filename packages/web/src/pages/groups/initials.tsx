// A group's picture: the first letters of its name.
import classes from './groups.module.css';

export function Initials({
  name,
  large = false,
}: {
  readonly name: string;
  readonly large?: boolean;
}) {
  return (
    <span className={classes.initials} data-size={large ? 'large' : undefined} aria-hidden>
      {initialsOf(name)}
    </span>
  );
}

const initialsOf = (name: string): string =>
  name
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('') || '#';
