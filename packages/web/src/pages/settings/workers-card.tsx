// The processes that hold the accounts, where there is more than one.
import type { ListedWorker } from '@relay/contract/api/workers';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { formatMoment } from '../../parts/format.ts';
import { Card, Note, Sentence } from '../../parts/page.tsx';
import { workersQuery } from './queries.ts';
import classes from './settings.module.css';

export function WorkersCard() {
  const { data } = useQuery(workersQuery);
  // One process that does everything is not worth a word.
  if (data === undefined || (data.workers.length <= 1 && data.unserved === 0)) return null;
  return (
    <Card title={t('settings.workers.title')}>
      <p className="small dim">{t('settings.workers.text')}</p>
      {data.unserved > 0 && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={t('settings.workers.unserved', { count: data.unserved })} />
        </Note>
      )}
      <ul className={classes.devices}>
        {data.workers.map((worker) => (
          <WorkerRow key={worker.id} worker={worker} />
        ))}
      </ul>
    </Card>
  );
}

function WorkerRow({ worker }: { readonly worker: ListedWorker }) {
  const { accounts, host, pid, state, started_at, last_seen_at } = worker;
  const now = useNow(10_000);
  const states = {
    running: t('settings.workers.running', { time: formatMoment(started_at, now) }),
    draining: t('settings.workers.draining'),
    lost: t('settings.workers.lost', { time: formatMoment(last_seen_at, now) }),
  };
  return (
    <li>
      <div>
        <b dir="auto">
          {host} ({pid})
        </b>
        <small className="dim">
          {t('settings.workers.accounts', { count: accounts })} · {states[state]}
        </small>
      </div>
    </li>
  );
}
