// Shown in place of a list: empty, loading or failed. `QueryContent` chooses among them and keeps showing known data.
import { Button, Skeleton } from '@mantine/core';
import { IconAlertTriangle, type TablerIcon } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readableError } from '../data/relay.ts';
import { t } from '../i18n.ts';
import type { Hue } from '../theme/theme.ts';
import { Tile } from './marks.tsx';
import { Sentence } from './page.tsx';
import classes from './parts.module.css';

interface EmptyStateProps {
  readonly icon: TablerIcon;
  readonly hue?: Hue;
  /** One sentence. */
  readonly title: string;
  readonly children?: ReactNode;
  /** One action. */
  readonly action?: ReactNode;
  /** If it fills the whole page, its title is the page's heading. */
  readonly isPage?: boolean;
}

export function EmptyState({
  icon,
  hue = 'parked',
  title,
  children,
  action,
  isPage = false,
}: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      <Tile icon={icon} hue={hue} large />
      {isPage ? <h1 tabIndex={-1}>{title}</h1> : <b>{title}</b>}
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

/** Placeholder in the shape of the content; shown after 300 ms. */
export function LoadingRows({ rows = 3 }: { readonly rows?: number }) {
  return (
    <div className={classes.late} role="status" aria-busy="true" aria-label={t('common.loading')}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div className={classes.loadingRow} key={row}>
          <Skeleton width={34} height={34} circle />
          <span>
            <Skeleton width="46%" height={11} />
            <Skeleton width="78%" height={11} />
          </span>
          <Skeleton width={62} height={28} />
        </div>
      ))}
    </div>
  );
}

export function LoadingLines({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className={classes.late} role="status" aria-busy="true" aria-label={t('common.loading')}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they differ in nothing but their place
        <Skeleton key={line} width={`${92 - (line % 6) * 13}%`} height={11} my={12} />
      ))}
    </div>
  );
}

interface LoadFailureProps {
  /** As `subject` of `QueryContent`. */
  readonly what: string;
  readonly error: unknown;
  readonly isPage?: boolean;
  onRetry(): void;
}

export function LoadFailure({ what, error, isPage = false, onRetry }: LoadFailureProps) {
  const again = (
    <Button variant="default" onClick={onRetry}>
      {t('common.action.retry')}
    </Button>
  );
  return (
    <EmptyState
      icon={IconAlertTriangle}
      hue="bad"
      title={t('common.loadFailed', { subject: what })}
      action={again}
      isPage={isPage}
    >
      <Sentence text={readableError(error)} />
    </EmptyState>
  );
}

interface QueryContentProps<Data> {
  readonly query: UseQueryResult<Data, Error>;
  /** Names what is loaded, as a heading would: `Approvals`. */
  readonly subject: string;
  readonly loading?: ReactNode;
  readonly isPage?: boolean;
  readonly children: (data: Data) => ReactNode;
}

export function QueryContent<Data>({
  query,
  subject,
  loading,
  isPage = false,
  children,
}: QueryContentProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    const again = () => void query.refetch();
    return <LoadFailure what={subject} error={query.error} isPage={isPage} onRetry={again} />;
  }
  return loading ?? <LoadingRows />;
}
