// Search over all messages, limited to what the caller may read:
//   search(scope, question, { limit?, from?, to?, chat?, contact? }) → MessageHit[]   best first
//   retrieve(scope, text, { limit?, from?, to?, except? }) → MessageHit[]   context for a model's question
//   lastMessages(scope, { chat, from?, to?, limit }) → NamedMessage[]   of one chat, oldest first
//   caughtUp() → resolves when every message that is stored now can be found, after 3 s at most

import type { FoundMessage } from '@relay/contract/api/search';
import type { AccountId, ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { isSignedText } from '@relay/core/messages/text';
import type { Zone } from '@relay/core/schedule/zone';
import { type ParsedQuestion, parseSearchQuery } from '@relay/core/search/query';
import { type RankedCandidate, rankCandidates } from '@relay/core/search/rank';
import type { Db } from '../../platform/db/database.ts';
import { type NamedMessage, readFoundMessages, readLastMessages } from './messages.ts';
import { findReadableChats, type SearchScope } from './scope.ts';
import {
  findCandidates,
  findLaterChanges,
  findPartiesNamed,
  findRecentDocuments,
  type SearchBounds,
} from './sql.ts';
import type { NearbyDocuments, Vectors } from './vectors/feature.ts';

export interface SearchDeps {
  readonly db: Db;
  readonly account: AccountId;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  readonly zone: Zone;
  readonly now: () => Date;
  readonly caughtUp: () => Promise<void>;
  /** Documents near a text in meaning; null while search works by words only. */
  readonly findNearby: Vectors['findNearby'];
}

export interface SearchOptions {
  readonly limit?: number;
  /** Sent at this time or later. */
  readonly from?: Date;
  /** Sent before this time. */
  readonly to?: Date;
  readonly chat?: ChatId;
  /** Sent by this contact; `me` is the account itself. */
  readonly contact?: ContactId | 'me';
}

type FoundBy = FoundMessage['by'];

export interface MessageHit extends NamedMessage {
  /** Comparable within one result only; higher is better. */
  readonly rank: number;
  /** How it was found. */
  readonly by?: FoundBy;
  /** False: no result really matches the question, and this is one of the closest. */
  readonly isSure?: boolean;
}

interface RetrieveOptions {
  readonly limit?: number;
  readonly from?: Date;
  readonly to?: Date;
  /** The message that asks, which must not be its own answer. */
  readonly except?: MessageId;
}

interface LastMessagesQuery {
  readonly chat: ChatId;
  readonly from?: Date;
  readonly to?: Date;
  readonly limit: number;
}

const USUAL_LIMIT = 20;
const RETRIEVE_LIMIT = 5;
/** How long a search waits for messages that were just stored to be indexed. */
const PATIENCE_MS = 3_000;
/** How many of the nearest in meaning are ranked together with those that share words. */
const NEAREST_LIMIT = 100;
/** A result is sure when one of this many best hits is. */
const SURE_WITHIN_FIRST = 10;
/** For this many best hits it is checked whether a later message changed what they say. */
const CHECKED_FOR_CHANGES = 2;
/** A hit that covers less of a question than this is unrelated to it. */
const LEAST_ABOUT = 0.08;

interface ParsedSearch extends ParsedQuestion {
  readonly text: string;
  readonly where: SearchBounds;
}

/** Best first. */
type RankedHits = readonly RankedHit[];

interface RankedHit extends RankedCandidate<number> {
  /** Set if neither words nor meaning found it. */
  readonly by?: 'recent' | 'change';
}

interface SearchFindings {
  readonly found: RankedHits;
  recent(): Promise<RankedHits>;
}

export class MessageSearch {
  readonly #deps: SearchDeps;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when every message that is stored now can be found, or after a short time if a whole history is waiting.
   */
  async caughtUp(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([this.#deps.caughtUp(), patience]);
    clearTimeout(timer);
  }

  /** Hits that are not `isSure` are only the closest to the question. */
  async search(
    scope: SearchScope,
    question: string,
    options: SearchOptions = {},
  ): Promise<readonly MessageHit[]> {
    const { limit = USUAL_LIMIT, ...where } = options;
    const asked = this.#ask(question, where);
    const terms = asked.terms.length > 0 || asked.time?.certain ? asked.terms : asked.spare;
    const { found, recent } = await this.#find(scope, { ...asked, terms });
    const certain = asked.time?.certain === true;
    const enough = found.length >= (certain ? limit : 1);
    const best = enough ? found : [...found, ...(await recent())];
    const isSure = certain || hasSureHit(found);
    const hits = await this.#hits(scope, best.slice(0, limit));
    return hits.map((hit) => ({ ...hit, isSure }));
  }

  async retrieve(
    scope: SearchScope,
    text: string,
    { limit = RETRIEVE_LIMIT, except, ...where }: RetrieveOptions = {},
  ): Promise<readonly MessageHit[]> {
    const asked = this.#ask(text, where);
    const { found, recent } = await this.#find(scope, asked);
    const certain = asked.time?.certain === true;
    const about = certain
      ? [...found, ...(found.length > limit ? [] : await recent())]
      : found.filter(({ relevance }) => hasSureHit(found) && relevance >= LEAST_ABOUT);
    const hits = await this.#hits(scope, about.slice(0, 4 * limit));
    return hits
      .filter(({ message, text: said }) => message !== except && !isSignedText(said))
      .slice(0, limit);
  }

  lastMessages(scope: SearchScope, which: LastMessagesQuery): Promise<readonly NamedMessage[]> {
    return readLastMessages(this.#deps, scope, which);
  }

  /** A time in the question narrows the chosen bounds and never widens them. */
  #ask(text: string, where: SearchBounds): ParsedSearch {
    const { now, zone } = this.#deps;
    const asked = { ...parseSearchQuery(text, now(), zone), text };
    const { time } = asked;
    if (!time?.certain) return { ...asked, where };
    const [from, to] = [latest(where.from, time.from), earliest(where.to, time.to)];
    return { ...asked, where: { ...where, from, to } };
  }

  /**
   * Best first. When the question contains a time or a name, `recent` loads the newest messages of it, whatever they
   * say.
   */
  async #find(scope: SearchScope, asked: ParsedSearch): Promise<SearchFindings> {
    const { db, account, now } = this.#deps;
    const { terms, time, where } = asked;
    // The embedding model and the vector index work while the database searches for the words.
    const nearness = this.#nearness(scope, asked);
    nearness.catch(() => {});
    const named = await findPartiesNamed(db, account, terms);
    const matching = await findCandidates(this.#deps, scope, asked, named, where, nearness);
    const ranked = rankCandidates(matching.candidates, { ...matching, now: now(), around: time });
    const found = await this.#overtaken(scope, asked, ranked);
    const recent = async (): Promise<RankedHits> => {
      if (asked.phrases.length > 0 || (!time?.certain && named.words.size === 0)) return [];
      const known = new Set(found.map(({ id }) => id));
      const ids = await findRecentDocuments(this.#deps, scope, named, where);
      return ids
        .filter((id) => !known.has(id))
        .map((id) => ({ id, score: 0, relevance: 0, coverage: 0, isSure: false, by: 'recent' }));
    };
    return { found, recent };
  }

  /** Within a given time there are few messages, so the nearest need not stand out. */
  async #nearness(
    scope: SearchScope,
    { text, where, time }: ParsedSearch,
  ): Promise<NearbyDocuments> {
    const { chat, ...bounds } = where;
    const nearness = await this.#deps.findNearby(text, async () => ({
      ...bounds,
      chats: await findReadableChats(this.#deps, scope, chat),
      limit: NEAREST_LIMIT,
    }));
    if (nearness === null) return { documents: [], chance: 0 };
    return time?.certain ? { ...nearness, chance: 0 } : nearness;
  }

  /** Puts a later change right before the message that it changes. A question that quotes a message means that one. */
  async #overtaken(
    scope: SearchScope,
    { terms, where }: ParsedSearch,
    ranked: RankedHits,
  ): Promise<RankedHits> {
    const looked = ranked.slice(0, CHECKED_FOR_CHANGES);
    const later = await findLaterChanges(
      this.#deps,
      scope,
      where,
      looked.map(({ id }) => id),
    );
    const numbers = terms.filter((term) => /\p{N}/u.test(term));
    return looked.reduceRight<RankedHits>((best, hit) => {
      const over = later.get(hit.id);
      if (over === undefined) return best;
      const quoted = hit.coverage >= 1 && !numbers.every((number) => over.words.includes(number));
      return quoted ? best : before(best, over.id, hit);
    }, ranked);
  }

  async #hits(scope: SearchScope, found: RankedHits): Promise<readonly MessageHit[]> {
    const messages = await readFoundMessages(
      this.#deps,
      scope,
      found.map(({ id }) => id),
    );
    return found.flatMap(({ id, score, coverage, ...hit }) => {
      const message = messages.get(id);
      const by: FoundBy = hit.by ?? (coverage === 0 ? 'meaning' : 'words');
      return message === undefined ? [] : [{ ...message, rank: score, by, isSure: true }];
    });
  }
}

/** Moves a document right before the hit that it overtakes, unless it already ranks higher. */
function before(best: RankedHits, id: number, hit: RankedHit): RankedHits {
  const place = best.findIndex((each) => each.id === hit.id);
  const own = best.findIndex((each) => each.id === id);
  if (own >= 0 && own < place) return best;
  const { score, relevance, isSure } = hit;
  const found: Partial<RankedHit> = best[own] ?? { by: 'change' };
  const moved = { coverage: 0, ...found, id, score, relevance, isSure };
  const rest = best.filter((each) => each.id !== id);
  return [...rest.slice(0, place), moved, ...rest.slice(place)];
}

const hasSureHit = (found: RankedHits): boolean =>
  found.slice(0, SURE_WITHIN_FIRST).some(({ isSure }) => isSure);

const latest = (a: Date | undefined, b: Date): Date => (a !== undefined && a > b ? a : b);
const earliest = (a: Date | undefined, b: Date): Date => (a !== undefined && a < b ? a : b);
