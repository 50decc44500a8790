// Notices of change, each program's own. Everybody who listens has a seat under the hash of their token; of
// every batch of events the token is looked up anew, and told is only what it may read at that moment.
// Invariant: no word of anybody and no id of anything that the token may not read goes into a notice.
import type { ServerEvent } from '@modelcontextprotocol/server';
import type { StreamEvent } from '@relay/core/ports/event-log';
import type { Program } from '@relay/core/ports/tokens';
import type { ProgramWorld } from '../world.ts';
import { type Changes, changesOf } from './changes.ts';
import { followLog } from './follow.ts';
import { mayRead, type Outline, outline } from './listed.ts';
import { placesFor } from './places.ts';
import { spellings } from './uris.ts';

export type Tell = (event: ServerEvent) => void;

export interface Seat {
  /** From now on; gives the way to leave. */
  hear(tell: Tell): () => void;
  leave(): void;
}

type NoticeWorld = Pick<ProgramWorld, 'db' | 'lease' | 'admins' | 'tokens' | 'events' | 'log'>;

/** Of one token. */
interface Audience {
  readonly seats: Set<{ tell: Tell }>;
  /** Its list, when it was last looked at. */
  outline: Outline | null;
}

/** Connections and streams that listen with one token at a time. */
const MOST_SEATS = 32;

export class Notices {
  readonly #world: NoticeWorld;
  readonly #audiences = new Map<string, Audience>();
  #following: Promise<() => void> | null = null;

  constructor(world: NoticeWorld) {
    this.#world = world;
  }

  /** Once it resolves nothing is missed that happens from then on. Null when the token has no seat left. */
  async seat(hash: string): Promise<Seat | null> {
    const audience = this.#audiences.get(hash) ?? { seats: new Set(), outline: null };
    if (audience.seats.size >= MOST_SEATS) return null;
    const place = { tell: (_: ServerEvent) => {} };
    const leave = () => {
      audience.seats.delete(place);
      if (audience.seats.size > 0 || this.#audiences.get(hash) !== audience) return;
      this.#audiences.delete(hash);
      this.#rest();
    };
    audience.seats.add(place);
    this.#audiences.set(hash, audience);
    try {
      this.#following ??= this.#follow();
      await this.#following;
      audience.outline ??= await this.#outline(hash);
    } catch (error) {
      leave();
      throw error;
    }
    return {
      hear(tell) {
        place.tell = tell;
        return leave;
      },
      leave,
    };
  }

  /** How many listen. */
  get seats(): number {
    return [...this.#audiences.values()].reduce((all, { seats }) => all + seats.size, 0);
  }

  #follow(): Promise<() => void> {
    const { events, log } = this.#world;
    return followLog(
      events,
      (batch) => this.#take(batch),
      (error) => log.warn('a notice of change was not told yet', { error }),
    );
  }

  /** Nobody listens, so nobody looks at the log. */
  #rest(): void {
    if (this.#audiences.size > 0) return;
    const following = this.#following;
    this.#following = null;
    following?.then(
      (stop) => stop(),
      () => {},
    );
  }

  async #outline(hash: string): Promise<Outline | null> {
    const program = await this.#world.tokens.known(hash);
    return program === null ? null : outline(this.#world, program);
  }

  async #take(batch: readonly StreamEvent[]): Promise<void> {
    const changes = changesOf(batch);
    if (changes === null) return;
    for (const [hash, audience] of this.#audiences) {
      const program = await this.#world.tokens.known(hash);
      // Whoever holds the connection ends it; until then nothing is told.
      if (program === null) continue;
      for (const event of await this.#newsFor(program, audience, changes)) {
        for (const { tell } of audience.seats) tell(event);
      }
    }
  }

  async #newsFor(
    program: Program,
    audience: Audience,
    changes: Changes,
  ): Promise<readonly ServerEvent[]> {
    const { places, names } = await placesFor(this.#world, program, changes);
    const before = audience.outline;
    // The whole list is looked at only where it may be another.
    if (changes.access || before === null || names.some((name) => !before.names.has(name))) {
      audience.outline = await outline(this.#world, program);
    }
    const isAnother = before !== null && before.print !== audience.outline?.print;
    const chats = places.some(({ kind }) => kind === 'chat') || isAnother;
    return [
      ...(isAnother ? [{ kind: 'resources_list_changed' as const }] : []),
      ...(chats && mayRead(program, 'chats') ? [{ kind: 'chats' as const }, ...places] : places)
        .flatMap(spellings)
        .map((uri) => ({ kind: 'resource_updated' as const, uri })),
    ];
  }
}
