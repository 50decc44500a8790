// Shown when a page throws or does not exist; the frame stays. Details go to the browser's console.
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { readableError } from '../data/relay.ts';
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
      Try again
    </Button>
  );
  return (
    <Page title="Broken" sentence="This page fell over.">
      <EmptyState
        icon={IconAlertTriangle}
        hue="bad"
        title="The rest of the console is fine."
        action={action}
      >
        {readableError(error)}
      </EmptyState>
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page
      title="Not found"
      sentence="There is no such page."
      summary="The address leads nowhere. The navigation has every page there is."
    >
      {null}
    </Page>
  );
}
