// A backup: everything as one archive, saved through the browser. Bringing one back is told as a command, because it
// wants an empty home.
import { Button } from '@mantine/core';
import type { ShownSettings } from '@relay/core/api/settings';
import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { Card } from '../../parts/card.tsx';
import { moment } from '../../parts/times.ts';
import classes from './settings.module.css';

/** The archive is on its way by then, or whole. */
const LOOK_AGAIN_MS = [2_000, 10_000];

export function BackupCard({ shown }: { readonly shown: ShownSettings }) {
  const now = useNow(60_000);
  const isGone = useIsGone();
  const queries = useQueryClient();
  const lookAgain = () => {
    for (const ms of LOOK_AGAIN_MS)
      setTimeout(() => void queries.invalidateQueries({ queryKey: ['settings'] }), ms);
  };
  return (
    <Card title="Backup">
      <p>
        {shown.exported_at === null
          ? 'Nothing was backed up from here yet.'
          : `Last backed up ${moment(shown.exported_at, now)}.`}
      </p>
      <p className="small dim">
        One archive with everything but keys and the link to WhatsApp, in lines that can be read. It
        goes where your browser saves files; <code>relay export</code> saves it from a terminal.
      </p>
      <div className={classes.acts}>
        <Button
          component="a"
          href="/api/export"
          download
          variant="default"
          leftSection={<IconDownload size={16} />}
          data-disabled={isGone}
          onClick={(event) => (isGone ? event.preventDefault() : lookAgain())}
        >
          Back up now
        </Button>
      </div>
      <p className="small dim">
        To restore it, start Relay with an empty home and run <code>relay import relay.tar.gz</code>
        .
      </p>
    </Card>
  );
}
