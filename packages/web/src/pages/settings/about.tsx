// What runs here: the version, the database, the home.
import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../../data/queries.ts';
import { Card } from '../../parts/card.tsx';
import parts from '../../parts/parts.module.css';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import { span } from '../../parts/times.ts';

export function AboutCard() {
  const status = useQuery(statusQuery);
  return (
    <Card title="About">
      <Asked query={status} what="What runs" loading={<LoadingLines lines={5} />}>
        {({ version, database, home, uptime_seconds, pid }) => (
          <dl className={`${parts.facts} num`}>
            <dt>Relay</dt>
            <dd>{version}</dd>
            <dt>Running for</dt>
            <dd>
              {span(uptime_seconds * 1_000)} (PID {pid})
            </dd>
            <dt>Database</dt>
            <dd>
              {database.kind === 'private' ? 'its own' : 'yours'}, PostgreSQL{' '}
              {database.server_version}
            </dd>
            <dt>Schema</dt>
            <dd>{database.schema_version}</dd>
            <dt>Home</dt>
            <dd>
              <code>{home}</code>
            </dd>
          </dl>
        )}
      </Asked>
    </Card>
  );
}
