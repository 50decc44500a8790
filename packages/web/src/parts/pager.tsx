// Shows the page of a long list with links to the others. Nothing if one page holds all.
import { Button } from '@mantine/core';
import { t } from '../i18n.ts';
import classes from './pager.module.css';

interface PagerProps {
  /** What is listed: `People and groups`. */
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
    <nav className={classes.pager} aria-label={t('common.pager.label', { list: of })}>
      <p className="small dim num">{t('common.pager.range', { first, last, total })}</p>
      <Button
        variant="default"
        size="xs"
        disabled={page === 1}
        onClick={() => onPage(page - 1)}
        aria-label={t('common.pager.previous')}
      >
        {t('common.action.previous')}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={last >= total}
        onClick={() => onPage(page + 1)}
        aria-label={t('common.pager.next')}
      >
        {t('common.action.next')}
      </Button>
    </nav>
  );
}
