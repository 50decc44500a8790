// Shows whether the chain of decisions is intact: a short label, behind it the daemon's sentence and a full check on
// demand. A fault is shown on the page without asking.
import { Button, Popover } from '@mantine/core';
import type { LedgerVerdict } from '@relay/contract/api/ledger';
import { IconLink, IconLinkOff } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { groupDigits } from '../../parts/format.ts';
import { Note } from '../../parts/page.tsx';
import { shortenId } from './copy.ts';
import classes from './ledger.module.css';
import { chainVerdictQuery } from './queries.ts';

export function ChainCheck() {
  const { data: verdict } = useQuery(chainVerdictQuery);
  if (verdict === undefined || !verdict.whole) return null;
  const { rows } = verdict;
  return (
    <Popover width={300} position="bottom-end" withArrow trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          className={classes.whole ?? ''}
          data-hue="ok"
          vars={() => ({ root: { '--button-color': 'var(--fg)' } })}
          leftSection={<IconLink size={17} />}
        >
          {rows === 0 ? 'Chain whole' : `Chain whole to row ${groupDigits(rows)}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="The chain of decisions">
        <div className={classes.verdict}>
          <p>{verdict.sentence}</p>
          <p className="small dim">
            Each row carries the hash of the one before. The last is{' '}
            <code title={verdict.head}>{shortenId(verdict.head)}</code>; keep it elsewhere, and
            nobody can rewrite everything unseen.
          </p>
          <CheckAll />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

export function ChainFault() {
  const { data: verdict } = useQuery(chainVerdictQuery);
  if (verdict === undefined || verdict.whole) return null;
  return (
    <div className={classes.fault}>
      <Note hue="bad" icon={IconLinkOff} role="alert" actions={<CheckAll />}>
        <b>{verdict.sentence}</b> Somebody changed the database by hand. Compare it with a backup.
      </Note>
    </div>
  );
}

function CheckAll() {
  const queries = useQueryClient();
  const isGone = useIsDaemonGone();
  const check = useAction<void, LedgerVerdict>({
    run: () => relay.get('/api/ledger/verify', { query: { full: 'true' } }),
    invalidates: [],
    onSuccess: (anew) => queries.setQueryData(chainVerdictQuery.queryKey, anew),
  });
  return (
    <Button
      variant="default"
      size="xs"
      disabled={isGone}
      loading={check.isPending}
      onClick={() => check.mutate()}
    >
      Check all of it
    </Button>
  );
}
