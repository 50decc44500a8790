// Fixture: a linked account with a friend, on a database that a test can access directly, for tests that damage, cut
// off or inspect the stored session.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import type { ConnectionState } from '@relay/contract/connection/states';
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import { openVault } from '@relay/daemon/platform/home/vault/vault';
import { expect, inject, onTestFinished } from 'vitest';
import { onServer } from '../postgres.ts';
import { builtIn } from './built.ts';
import { type Demo, type DemoOptions, startDemo } from './demo.ts';
import { eventually } from './gateway.ts';

export const ME = '15550000000';
export const BEN = '15550000001';
const FIRST_ACCOUNT = 1 as AccountId;
export const jid = (phone: string): string => `${phone}@s.whatsapp.net`;

/** Sends without pacing. */
const SETTINGS = { pacing: { enabled: false } };

export class LinkedRelay {
  readonly demo: Demo;
  readonly url: string;

  constructor(demo: Demo, url: string) {
    this.demo = demo;
    this.url = url;
  }

  async query<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await onServer(this.url, (client) => client.query<Row>(sql, values))).rows;
  }

  link(): Promise<LinkBody> {
    return this.demo.relay.ok('GET', '/api/whatsapp/link');
  }

  reaches(state: ConnectionState, patience?: number): Promise<LinkBody> {
    const look = async () => {
      const link = await this.link();
      return link.state === state ? link : undefined;
    };
    return eventually(`the state ${state}`, look, patience);
  }

  /** Decrypts what this home has encrypted for its first account. */
  async sealer(): Promise<Sealer> {
    const { home } = this.demo;
    const keyFile = `${home}.key`;
    const only = { keyDirectory: '', passphrase: null, keyCommand: null, givenKey: null };
    const vault = await openVault({ home, keyFile, ...only });
    return vault.sealer.forAccount(FIRST_ACCOUNT);
  }

  /** The devices linked with the phone, and how often each logged in. */
  devices(): { id: number; logins: number }[] {
    const { companions } = this.demo.simulator.network.account(ME) ?? { companions: new Map() };
    return [...companions.values()].map(({ id, logins }) => ({ id, logins }));
  }

  /** One text each way. */
  async talk(word: string): Promise<void> {
    const { phones, relay } = this.demo;
    await phones.send(BEN, ME, `${word} from Ben`);
    await eventually(`"${word}" to arrive`, async () => {
      const bodies = (await relay.messages({ chat: jid(BEN), limit: 100 })).map(({ body }) => body);
      return bodies.includes(`${word} from Ben`) || undefined;
    });
    await relay.send(`+${BEN}`, `${word} to Ben`);
    await phones.sees(BEN, { text: `${word} to Ben`, status: 'received' });
  }

  /** Runs the shipped command against this home. */
  async command(...args: string[]): Promise<{ exit: number | null; out: string; err: string }> {
    const program = join(await builtIn(inject('builds')), 'bin/relay.js');
    const child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env.PATH, RELAY_HOME: this.demo.home, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const [exit] = await once(child, 'close');
    const [out, err] = await said;
    return { exit, out, err };
  }
}

export interface LinkedRelayOptions extends Omit<DemoOptions, 'database'> {
  /** In the home itself, or on a separate server that outlives the daemon. */
  readonly database: 'private' | 'beside';
}

/** Removed when the test is over. */
export async function startLinkedRelay(options: LinkedRelayOptions): Promise<LinkedRelay> {
  const linked = await openLinkedRelay(options);
  onTestFinished(() => linked.demo.stop());
  return linked;
}

/** For several tests; the caller stops `demo`. */
export async function openLinkedRelay({
  database,
  ...options
}: LinkedRelayOptions): Promise<LinkedRelay> {
  const demo = await startDemo({
    settings: SETTINGS,
    ...options,
    database: database === 'beside' ? 'shared' : 'private',
  });
  await demo.phones.add(ME, 'Ana');
  await demo.phones.add(BEN, 'Ben');
  await demo.link(ME);
  const linked = new LinkedRelay(demo, await demo.database());
  await linked.reaches('connected');
  expect(linked.devices()).toHaveLength(1);
  return linked;
}
