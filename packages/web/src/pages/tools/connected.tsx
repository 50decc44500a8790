// A linked phone: its number, how well it is heard, its permissions, and the way to disconnect it.

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { LinkBody } from '@relay/core/api/link';
import { lazy, Suspense } from 'react';
import { fetched } from '../../data/fetched.ts';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { phoneNumber } from '../../parts/numbers.ts';
import { ago, moment } from '../../parts/times.ts';
import { DisconnectDialog } from './disconnect.tsx';
import { ProbeButton, Probed, useProbe } from './probe.tsx';
import classes from './tools.module.css';
import type { Linking } from './use-linking.ts';

const permissions = () => fetched(() => import('./permissions-modal.tsx'));
const PermissionsModal = lazy(async () => ({ default: (await permissions()).PermissionsModal }));

interface ConnectedProps {
  readonly linking: Linking;
  readonly link: LinkBody | undefined;
}

export function Connected({ linking, link }: ConnectedProps) {
  const [isManaging, managing] = useDisclosure();
  const [isAsking, asking] = useDisclosure();
  const isGone = useIsGone();
  const probe = useProbe();
  return (
    <div className={classes.body}>
      <Facts linking={linking} link={link} />
      <Probed probe={probe} />
      {isAsking ? (
        <DisconnectDialog
          isBusy={linking.isBusy}
          onConfirm={linking.disconnect}
          onCancel={asking.close}
        />
      ) : (
        <div className={classes.acts}>
          <Button variant="default" onClick={managing.open}>
            Manage Permissions
          </Button>
          <ProbeButton probe={probe} />
          <Button variant="subtle" color="gray" onClick={asking.open} disabled={isGone}>
            Disconnect
          </Button>
        </div>
      )}
      <Suspense>{isManaging && <PermissionsModal onClose={managing.close} />}</Suspense>
    </div>
  );
}

function Facts({ linking: { phone }, link }: ConnectedProps) {
  const now = useNow();
  const heard = link?.health.lastStanzaAt ?? null;
  const digits = phone ?? link?.phone ?? null;
  return (
    <dl className={classes.facts}>
      <div>
        <dt>Number</dt>
        <dd className="num">{digits === null ? 'not told yet' : phoneNumber(digits)}</dd>
      </div>
      {link?.name && (
        <div>
          <dt>Name</dt>
          <dd dir="auto">{link.name}</dd>
        </div>
      )}
      <div>
        <dt>Connected since</dt>
        <dd className="num">{link === undefined ? '…' : moment(link.since, now)}</dd>
      </div>
      <div>
        <dt>Last heard</dt>
        <dd className="num">{heard === null ? 'not yet' : ago(heard, now)}</dd>
      </div>
    </dl>
  );
}
