// Shows the page of a long list with links to the others. Nothing if one page holds all.
import { Button } from '@mantine/core';
import { groupDigits } from './format.ts';
import classes from './pager.module.css';

interface PagerProps {
  /** What is counted: `people and groups`. */
  readonly of: string;
  /** From 1. */
  readonly page: number;
  readonly size: number;
  readonly total: number;
  onPage(page: number): void;
}

export function Pager({ of, page, size, total, onPage }: PagerProps) {
  if (total <= size && page === 1) return null;
  const first = (page - 1) * size + 1;
  const last = Math.min(total, page * size);
  return (
    <nav className={classes.pager} aria-label={`Pages of ${of}`}>
      <p className="small dim num">
        {groupDigits(first)} to {groupDigits(last)} of {groupDigits(total)} {of}
      </p>
      <Button
        variant="default"
        size="xs"
        disabled={page === 1}
        onClick={() => onPage(page - 1)}
        aria-label="Previous page"
      >
        Previous
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={last >= total}
        onClick={() => onPage(page + 1)}
        aria-label="Next page"
      >
        Next
      </Button>
    </nav>
  );
}
