// Asks WhatsApp whether a number is registered, and keeps the answer. Writing to numbers that are not is reported to
// lock accounts.
import { statusOf } from '@relay/core/connection/states';
import type { Log } from '@relay/core/log';
import type { Transport } from '@relay/core/ports/transport';
import type { Reader } from '../store/database.ts';
import type { Lease } from '../store/lease.ts';
import { noteRegistration } from '../store/registration.ts';
import { Pause } from './pause.ts';

export interface NumberCheckDeps {
  readonly db: Reader;
  readonly lease: Lease;
  readonly transport: Pick<Transport, 'link' | 'capabilities'>;
  readonly log: Log;
  readonly now: () => Date;
}

/** Whether there was an answer; none while WhatsApp is out of reach. Never rejects. */
export async function checkNumber(
  { db, lease, transport, log, now }: NumberCheckDeps,
  address: string,
  withinMs: number,
): Promise<boolean> {
  const { findRegistered } = transport.capabilities;
  if (findRegistered === undefined || statusOf(transport.link.state) !== 'connected') return false;
  const patience = new Pause();
  try {
    const silence = patience.sleep(withinMs).then(() => {
      throw new Error('no answer in time');
    });
    const found = await Promise.race([findRegistered(address), silence]);
    await noteRegistration(db, lease, { asked: address, found, at: now() });
    return true;
  } catch (error) {
    log.warn('WhatsApp did not say whether a number is registered', { error });
    return false;
  } finally {
    patience.end();
  }
}
