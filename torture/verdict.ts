// The result of every message: read from Relay's database and the phones, compared with what was sent. Each violated
// guarantee is a sentence.
import type { Demo } from '@relay/testing/e2e/demo';
import { onServer } from '@relay/testing/postgres';
import { OWNER } from './harness.ts';
import type { Traffic, TrafficMessage } from './traffic.ts';

export interface Verdict {
  readonly lost: number;
  readonly doubled: number;
  readonly outOfOrder: number;
  /** On the phones, and in Relay, which then requested the message again. */
  readonly undecryptable: number;
  /** Accepted by Relay and never seen by its recipient. */
  readonly unseen: number;
  /** Permanently refused by WhatsApp: Relay reports it, and nobody has seen it. */
  readonly refused: number;
  /** Seen more than once by its recipient, under any id. */
  readonly seenTwice: number;
  readonly faults: readonly string[];
}

/** Texts of received messages in the order Relay stores them. */
export const keptTexts = (url: string): Promise<string[]> =>
  onServer(url, async (client) => {
    const { rows } = await client.query<{ body: string }>(
      "SELECT body FROM relay.messages WHERE NOT from_me AND body LIKE 'in %' ORDER BY id",
    );
    return rows.map(({ body }) => body);
  });

/** Texts that each friend has seen from the owner, as often as they were seen. */
export function seenTexts({ friends }: Traffic): string[] {
  return friends.flatMap((friend) =>
    friend
      .messages()
      .filter(({ from, text }) => from === OWNER && text?.startsWith('out '))
      .map(({ text = '' }) => text),
  );
}

/** Texts that Relay reports as permanently refused. */
export const refusedTexts = (url: string): Promise<Set<string>> =>
  onServer(url, async (client) => {
    const { rows } = await client.query<{ body: string }>(
      "SELECT body FROM relay.outbox WHERE state = 'failed'",
    );
    return new Set(rows.map(({ body }) => body));
  });

export async function judge(
  { simulator }: Demo,
  url: string,
  traffic: Traffic,
  retriesAsked: number,
): Promise<Verdict> {
  const kept = await keptTexts(url);
  const seen = seenTexts(traffic);
  const refused = await refusedTexts(url);
  const inbox = compare(traffic.toOwner, kept);
  const outbox = compare(traffic.accepted, seen);
  const unseen = outbox.missing.filter((text) => !refused.has(text));
  const denied = seen.filter((text) => refused.has(text));
  const disordered = misplaced(traffic.toOwner, kept);
  const { undecryptable } = simulator.network.counts();
  return {
    lost: inbox.missing.length,
    doubled: inbox.twice.length,
    outOfOrder: disordered.length,
    undecryptable: undecryptable + retriesAsked,
    unseen: unseen.length,
    refused: outbox.missing.length - unseen.length,
    seenTwice: outbox.twice.length,
    faults: [
      ...inbox.missing.map((text) => `lost: ${text}`),
      ...inbox.twice.map((text) => `doubled: ${text}`),
      ...disordered.map((text) => `out of order: ${text}`),
      ...unseen.map((text) => `accepted and never seen: ${text}`),
      ...denied.map((text) => `said to have failed, and seen: ${text}`),
      ...outbox.twice.map((text) => `seen twice: ${text}`),
      ...(undecryptable > 0 ? [`phones could not read ${undecryptable} messages`] : []),
      ...(retriesAsked > 0 ? [`Relay asked ${retriesAsked} times to have a message again`] : []),
      ...simulator.network.failures.map((failure) => `the simulator stumbled: ${failure}`),
    ],
  };
}

function compare(said: readonly TrafficMessage[], found: readonly string[]) {
  const times = new Map<string, number>();
  for (const text of found) times.set(text, (times.get(text) ?? 0) + 1);
  const texts = said.map(({ text }) => text);
  return {
    missing: texts.filter((text) => !times.has(text)),
    twice: texts.filter((text) => (times.get(text) ?? 0) > 1),
  };
}

/** Messages stored after a later one of the same chat and author. */
function misplaced(said: readonly TrafficMessage[], kept: readonly string[]): string[] {
  const place = new Map(kept.map((text, index) => [text, index]));
  const newest = new Map<string, number>();
  const found: string[] = [];
  for (const { text, phone, chat, ordered } of said) {
    const at = place.get(text);
    if (at === undefined || !ordered) continue;
    const lane = `${chat} ${phone}`;
    if (at < (newest.get(lane) ?? -1)) found.push(text);
    newest.set(lane, Math.max(at, newest.get(lane) ?? -1));
  }
  return found;
}
