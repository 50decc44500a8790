// Whom we write to by number has a LID, which Baileys had to find out to encrypt for them. The owner's own
// phone names the same person by it, maybe before they ever answer, so both are told as soon as both are known.
// Invariant: a send never waits for it and never fails by it.
import type { TransportEvent } from '@relay/core/ports/transport';
import type { WASocket } from '@whiskeysockets/baileys';
import { peopleOf, phoneOf } from './addresses.ts';
import { BoundedCache } from './bounded-cache.ts';

const REMEMBERED = 2_000;
const DAY = 24 * 60 * 60 * 1_000;

export function introducer(
  socket: WASocket,
  tell: (event: TransportEvent) => Promise<boolean>,
): (chat: string) => void {
  const told = new BoundedCache(REMEMBERED, DAY);
  const telling = new Set<string>();
  const introduce = async (chat: string) => {
    const lid = await socket.signalRepository.lidMapping.getLIDForPN(chat);
    const addresses = peopleOf([chat, lid]);
    if (addresses.length > 1 && (await tell({ type: 'aliases', addresses }))) told.set(chat, true);
  };
  return (chat) => {
    if (phoneOf(chat) === null || told.get(chat) || telling.has(chat)) return;
    telling.add(chat);
    introduce(chat)
      .catch(() => undefined)
      .finally(() => telling.delete(chat));
  };
}
