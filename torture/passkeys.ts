// Kills the daemon at each step of linking an account that demands its WhatsApp passkey, restarts it, and checks that
// both sides agree: linked, or not linked and ready to link again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import type { LoggedStanza } from '@relay/simulator/whatsapp/events';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import { randomFrom } from './random.ts';
import { openBuilt, openDatabase } from './resources.ts';

export interface PasskeyTorture {
  readonly kills: number;
  readonly seed: number;
}

export interface PasskeyReport {
  readonly seed: number;
  readonly kills: number;
  readonly atSteps: Readonly<Record<string, number>>;
  /** After the kill: linked, not linked, or unlinked by WhatsApp, which does not know the device. */
  readonly ends: Readonly<Record<string, number>>;
  /** Complete links after a kill that left the account unlinked. */
  readonly linkedAgain: number;
  readonly faults: readonly string[];
  readonly seconds: number;
}

/** What the server sees at each step; the daemon dies at it, or up to some milliseconds later. */
const STEPS = {
  request: ['out', 'passkey_prologue_request'],
  acknowledgement: ['in', 'passkey_prologue_request'],
  reference: ['in', 'ref'],
  prologue: ['in', 'passkey_prologue'],
  continuation: ['out', 'crsc_continuation'],
  nonce: ['in', 'companion_nonce'],
  pairing: ['in', 'encrypted_pairing_request'],
  success: ['out', 'pair-success'],
  signature: ['in', 'pair-device-sign'],
} as const satisfies Record<string, readonly ['in' | 'out', string]>;
type Step = keyof typeof STEPS;

const LATEST_MS = 40;
const PATIENCE_MS = 60_000;
const PHONE = '15550000077';
const SETTLED: readonly LinkBody['state'][] = ['connected', 'disconnected', 'logged_out'];

export async function torturePasskeys({ kills, seed }: PasskeyTorture): Promise<PasskeyReport> {
  const began = performance.now();
  const { built, remove } = await openBuilt();
  const database = await openDatabase();
  const demo = await startDemo({ built, databaseUrl: database.url });
  try {
    const torture = new Torture(demo, randomFrom(seed));
    for (let round = 1; round <= kills; round++) {
      await torture.round(round);
      if (round % 10 === 0) console.log(`${round} of ${kills} kills`);
    }
    const { atSteps, ends, faults, linkedAgain } = torture;
    const seconds = Math.round((performance.now() - began) / 1_000);
    return { seed, kills, atSteps, ends, linkedAgain, faults, seconds };
  } finally {
    await demo.stop();
    await database.close();
    remove();
  }
}

class Torture {
  readonly atSteps: Record<string, number> = {};
  readonly ends: Record<string, number> = {};
  readonly faults: string[] = [];
  linkedAgain = 0;
  readonly #demo: Demo;
  readonly #random: () => number;
  readonly #account: SimulatedAccount;

  constructor(demo: Demo, random: () => number) {
    this.#demo = demo;
    this.#random = random;
    const { network } = demo.simulator;
    this.#account = network.addAccount({ phone: PHONE, name: 'Me', passkey: true });
    network.events.on('failure', (error) => {
      // The phone notices that the companion is gone.
      if (!String(error).includes('the companion left')) this.faults.push(String(error));
    });
  }

  async round(number: number): Promise<void> {
    const steps = Object.keys(STEPS) as Step[];
    const step = steps[(number - 1) % steps.length] ?? 'request';
    const killed = this.#killAt(step);
    await Promise.race([this.#link().catch(() => undefined), killed]);
    await killed;
    this.atSteps[step] = (this.atSteps[step] ?? 0) + 1;
    await this.#demo.kill();
    await this.#demo.restart();
    const { phone, state } = await this.#until((link) => SETTLED.includes(link.state));
    this.ends[state] = (this.ends[state] ?? 0) + 1;
    const devices = this.#account.companions.size;
    const isHalf = state === 'connected' ? devices !== 1 : devices !== 0;
    const isUnclean = state === 'disconnected' && phone !== null;
    if (isHalf || isUnclean) {
      this.faults.push(
        `after ${step}: Relay is ${state} as ${phone}, the phone has ${devices} devices`,
      );
    }
    if (state !== 'connected') {
      await this.#link();
      await this.#until((link) => link.state === 'connected');
      this.linkedAgain += 1;
    }
    await this.#demo.relay.ok('POST', '/api/whatsapp/disconnect', { clearSession: true });
    await this.#untilTrue(() => this.#account.companions.size === 0, 'the phone to unlink');
  }

  /** Links by QR code or by pairing code, and answers the passkey request. */
  async #link(): Promise<void> {
    const { relay } = this.#demo;
    const isByCode = this.#random() < 0.5;
    await relay.connect(isByCode ? { phone: `+${PHONE}` } : {});
    if (isByCode) {
      const { pairingCode } = await this.#until((link) => link.pairingCode !== null);
      await this.#account.pairCode(pairingCode ?? '');
    } else {
      const { qr } = await this.#until((link) => link.qr !== null);
      await this.#account.scan(qr ?? '');
    }
    const { passkey } = await this.#until((link) => link.passkey !== null);
    if (passkey === null || this.#account.passkey === null) throw new Error('no passkey');
    const assertion = this.#account.passkey.answer(passkey.options);
    await relay.ok('POST', '/api/whatsapp/passkey', { attempt: passkey.attempt, assertion });
  }

  /** Resolves when the daemon was killed. */
  #killAt(step: Step): Promise<void> {
    const [direction, name] = STEPS[step];
    const { events } = this.#demo.simulator.network;
    const delay = Math.floor(this.#random() ** 2 * LATEST_MS);
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (logged: LoggedStanza) => {
      if (logged.direction !== direction || !isNamed(logged.stanza, name)) return;
      events.off('stanza', look);
      setTimeout(() => {
        this.#demo.daemon?.child.kill('SIGKILL');
        resolve();
      }, delay);
    };
    events.on('stanza', look);
    return promise;
  }

  async #until(isReached: (link: LinkBody) => boolean): Promise<LinkBody> {
    for (const end = performance.now() + PATIENCE_MS; ; ) {
      const link = await this.#demo.relay.ok<LinkBody>('GET', '/api/whatsapp/link');
      if (isReached(link)) return link;
      if (performance.now() > end) throw new Error(`Relay stays ${link.state}`);
      await sleep(20);
    }
  }

  async #untilTrue(look: () => boolean, what: string): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; !look(); ) {
      if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
      await sleep(20);
    }
  }
}

const isNamed = ({ attrs, content }: LoggedStanza['stanza'], name: string): boolean =>
  attrs.type === name || (Array.isArray(content) && content.some(({ tag }) => tag === name));
