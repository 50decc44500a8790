// How many characters are left, said once it matters.
import classes from './new-conversation.module.css';

export const isNearlyFull = (text: string, most: number): boolean => most - text.length <= most / 5;

export function Left({ text, most }: { readonly text: string; readonly most: number }) {
  if (!isNearlyFull(text, most)) return null;
  const left = most - text.length;
  return (
    <span className={classes.left} data-over={left < 0 || undefined}>
      {left < 0 ? `${-left} too many` : `${left} left`}
    </span>
  );
}
