// A scripted daemon with the shipped pacing on the simulated network, for benches of follow-ups: their clocks run only
// while an account is connected. The agent's messages are queued and sent as pacing allows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedDatabase } from '@relay/daemon/platform/db/database';
import { openDatabase } from '@relay/daemon/platform/db/database';
import { OWNER_ROLE, readOwnerPassword } from '@relay/daemon/platform/db/postgres/cluster';
import { socketAddress } from '@relay/daemon/platform/db/postgres/settings';
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
    environment: { RELAY_SIMULATOR_URL: socketUrl, SCRIPTED_PACING: 'shipped' },
  });

export async function openHome(home: string): Promise<SharedDatabase> {
  const directory = join(home, 'postgres');
  const password = (await readOwnerPassword(directory)) ?? '';
  const address = socketAddress(join(directory, 'data'));
  return openDatabase({ ...address, user: OWNER_ROLE, database: OWNER_ROLE, password }, { max: 1 });
}

/** Adds a phone for everyone with a conversation that satisfies `condition`. */
export async function addPhones(
  { network }: Simulator,
  { pool }: SharedDatabase,
  condition = 'true',
): Promise<void> {
  const { rows } = await pool.query<{ phone: string }>(
    `SELECT substr(target_contact, 2) AS phone FROM instances WHERE ${condition}`,
  );
  for (const { phone } of rows) network.addAccount({ phone, name: 'Contact' });
}

/** Links the daemon; resolves once its follow-up clocks run. */
export async function link(
  { port }: DaemonProcess,
  home: string,
  simulator: Simulator,
  { pool }: SharedDatabase,
): Promise<void> {
  const phones = new Phones(simulator.url);
  const token = readFileSync(join(home, 'token'), 'utf8').trim();
  const relay = new Gateway(() => ({ port, token }));
  await phones.add(OWNER, 'Owner');
  await relay.connect();
  await phones.scan(OWNER, await relay.qr());
  await relay.connected();
  await eventually('running follow-up clocks', async () => {
    const running = 'SELECT FROM accounts WHERE follow_ups_suspended_since IS NULL';
    return (await pool.query(running)).rows[0];
  });
}
