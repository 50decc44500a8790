// A scripted daemon in the simulated network, for benches of follow-ups: their clocks run only while an account is
// connected, and what the agent writes needs phones to arrive on.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '@relay/daemon/store/database';
import { openDatabase } from '@relay/daemon/store/database';
import { ROLE, readPassword } from '@relay/daemon/store/postgres/cluster';
import { socketAddress } from '@relay/daemon/store/postgres/settings';
import type { Simulator } from '@relay/simulator/simulator';
import { type DaemonProcess, startDaemonProcess } from '@relay/testing/daemon-process';
import { eventually, Gateway } from '@relay/testing/e2e/gateway';
import { Phones } from '@relay/testing/e2e/phones';

const OWNER = '15550000000';
const PRELOADS = ['whatsapp/demo-preload', 'leash-preload'].map((name) =>
  import.meta.resolve(`@relay/simulator/${name}`),
);

/** Not linked yet, unless it was before. */
export const startSimulated = (home: string, { socketUrl }: Simulator): Promise<DaemonProcess> =>
  startDaemonProcess({
    home,
    preloads: PRELOADS,
    environment: { RELAY_SIMULATOR_URL: socketUrl },
  });

export async function openHome(home: string): Promise<Database> {
  const directory = join(home, 'postgres');
  const password = (await readPassword(directory)) ?? '';
  const address = socketAddress(join(directory, 'data'));
  return openDatabase({ ...address, user: ROLE, database: ROLE, password }, { max: 1 });
}

/** Everybody with a conversation for which `condition` holds gets a phone. */
export async function addPhones(
  { network }: Simulator,
  { pool }: Database,
  condition = 'true',
): Promise<void> {
  const { rows } = await pool.query<{ phone: string }>(
    `SELECT substr(target_contact, 2) AS phone FROM instances WHERE ${condition}`,
  );
  for (const { phone } of rows) network.addAccount({ phone, name: 'Contact' });
}

/** Links the daemon; resolves once all that was queued has left and the follow-up clocks run. */
export async function link(
  { port }: DaemonProcess,
  home: string,
  simulator: Simulator,
  { pool }: Database,
): Promise<void> {
  const phones = new Phones(simulator.url);
  const token = readFileSync(join(home, 'token'), 'utf8').trim();
  const relay = new Gateway(() => ({ port, token }));
  await phones.add(OWNER, 'Owner');
  await relay.connect();
  await phones.scan(OWNER, await relay.qr());
  await relay.connected();
  await eventually('running follow-up clocks and an empty outbox', async () => {
    const { rows } = await pool.query(
      `SELECT FROM accounts WHERE follow_ups_suspended_since IS NULL
         AND NOT EXISTS (SELECT FROM outbox WHERE state IN ('pending', 'unknown'))`,
    );
    return rows[0];
  });
}
