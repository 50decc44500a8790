// Shown when a page throws or does not exist; the frame stays. Details go to the browser's console.
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { readableError } from '../data/relay.ts';
import { t } from '../i18n.ts';
import { Page } from '../parts/page.tsx';
import { EmptyState } from '../parts/query-content.tsx';

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  const action = (
    <Button variant="default" onClick={again}>
      {t('common.action.retry')}
    </Button>
  );
  return (
    <Page title={t('common.error.title')} summary={t('common.error.summary')}>
      <EmptyState icon={IconAlertTriangle} hue="bad" title={readableError(error)} action={action} />
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page title={t('common.notFound.title')} summary={t('common.notFound.summary')}>
      {null}
    </Page>
  );
}
