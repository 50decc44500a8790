// Whether the chain of decisions is whole: a few words, behind them the daemon's sentence and all of it computed anew
// when the owner asks. A fault stands on the page by itself.
import { Button, Popover } from '@mantine/core';
import type { LedgerVerdict } from '@relay/core/api/ledger';
import { IconLink, IconLinkOff } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Note } from '../../parts/note.tsx';
import { grouped } from '../../parts/numbers.ts';
import classes from './ledger.module.css';
import { verdictQuery } from './queries.ts';
import { shortId } from './words.ts';

export function ChainCheck() {
  const { data: verdict } = useQuery(verdictQuery);
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
          {rows === 0 ? 'Chain whole' : `Chain whole to row ${grouped(rows)}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="The chain of decisions">
        <div className={classes.verdict}>
          <p>{verdict.sentence}</p>
          <p className="small dim">
            Each row carries the hash of the one before. The last is{' '}
            <code title={verdict.head}>{shortId(verdict.head)}</code>; keep it elsewhere, and nobody
            can rewrite everything unseen.
          </p>
          <CheckAll />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

export function ChainFault() {
  const { data: verdict } = useQuery(verdictQuery);
  if (verdict === undefined || verdict.whole) return null;
  return (
    <div className={classes.fault}>
      <Note hue="bad" icon={IconLinkOff} role="alert" acts={<CheckAll />}>
        <b>{verdict.sentence}</b> Somebody changed the database by hand. Compare it with a backup.
      </Note>
    </div>
  );
}

function CheckAll() {
  const queries = useQueryClient();
  const isGone = useIsGone();
  const check = useAct<void, LedgerVerdict>({
    act: () => relay.get('/api/ledger/verify', { query: { full: 'true' } }),
    touches: [],
    onDone: (anew) => queries.setQueryData(verdictQuery.queryKey, anew),
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
