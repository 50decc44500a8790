// Shows whether the chain of decisions is intact: a short label, behind it the daemon's sentence and a full check on
// demand. A fault is shown on the page without asking.
import { Button, Popover } from '@mantine/core';
import type { LedgerVerdict } from '@relay/contract/api/ledger';
import { IconLink, IconLinkOff } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { Note } from '../../parts/page.tsx';
import { RichText } from '../../parts/rich-text.tsx';
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
          {rows === 0 ? t('ledger.chain.empty') : t('ledger.chain.intact', { rows })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('ledger.chain.title')}>
        <div className={classes.verdict}>
          <p>{verdict.sentence}</p>
          <p className="small dim">
            <RichText
              id="ledger.chain.text"
              components={{ hash: <code title={verdict.head}>{shortenId(verdict.head)}</code> }}
            />
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
        <RichText
          id="ledger.chain.fault"
          components={{ b: <b />, sentence: <span>{verdict.sentence}</span> }}
        />
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
    onSuccess: (verdict) => queries.setQueryData(chainVerdictQuery.queryKey, verdict),
  });
  return (
    <Button
      variant="default"
      size="xs"
      disabled={isGone}
      loading={check.isPending}
      onClick={() => check.mutate()}
    >
      {t('ledger.chain.check')}
    </Button>
  );
}
