// Measures the time from an action until a phone shows a text.

import type { NetworkEvents } from '@relay/simulator/whatsapp/events';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { Demo } from './demo.ts';

/** Milliseconds until the action is done and the text was seen. */
export async function arrival(
  { simulator }: Demo,
  { phone }: SimulatedAccount,
  text: string,
  act: () => Promise<unknown>,
): Promise<number> {
  const { events } = simulator.network;
  const arrived = Promise.withResolvers<void>();
  const look = ({ account, message }: NetworkEvents['message'][0]) => {
    if (account.phone === phone && message.text === text) arrived.resolve();
  };
  events.on('message', look);
  const began = performance.now();
  try {
    await Promise.all([act(), arrived.promise]);
    return performance.now() - began;
  } finally {
    events.off('message', look);
  }
}
