// Search over all that was said, for whoever asks and no further than they may read:
//   search(scope, question, { limit?, from?, to?, chat?, contact? }) → SearchHit[]   best first
//   retrieve(scope, text, { limit?, from?, to?, except? }) → SearchHit[]   what a model is shown beside a question
//   lastMessages(scope, { chat, from?, to?, limit }) → SaidMessage[]   of one chat, oldest first
//   caughtUp() → when every message that is stored now can be found, 3 s at most
import { isSigned } from '@relay/core/agent/signature';
import type { AccountId, ChatId, ContactId, MessageId } from '@relay/core/ids';
import type { Zone } from '@relay/core/schedule/zone';
import { parseQuestion, type Question } from '@relay/core/search/query';
import { type Ranked, rank } from '@relay/core/search/rank';
import type { Reader } from '../store/database.ts';
import { findCandidates, findRecent, type Where } from './candidates.ts';
import { findNamed } from './names.ts';
import { lastSaid, type SaidMessage, said } from './said.ts';
import type { SearchScope } from './scope.ts';
import type { Vectors } from './vectors/open.ts';

export interface SearchWorld {
  readonly db: Reader;
  readonly account: AccountId;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  readonly zone: Zone;
  readonly now: () => Date;
  readonly caughtUp: () => Promise<void>;
  /** What is near a text in meaning; null while memory works by words alone. */
  readonly nearest: Vectors['nearest'];
}

export interface SearchOptions {
  readonly limit?: number;
  /** Said at this time or later. */
  readonly from?: Date;
  /** Said before. */
  readonly to?: Date;
  readonly chat?: ChatId;
  /** Said by this person; `me` is the account itself. */
  readonly contact?: ContactId | 'me';
}

export interface SearchHit extends SaidMessage {
  /** Comparable within one answer only; more is better. */
  readonly rank: number;
}

export interface RetrieveOptions {
  readonly limit?: number;
  readonly from?: Date;
  readonly to?: Date;
  /** The message that asks: it is not its own answer. */
  readonly except?: MessageId;
}

export interface LastMessages {
  readonly chat: ChatId;
  readonly from?: Date;
  readonly to?: Date;
  readonly limit: number;
}

const USUAL_LIMIT = 20;
const RETRIEVED = 5;
/** How long whoever asks waits for what was said a moment ago. */
const PATIENCE_MS = 3_000;
/** A message that has less of the question than this is not about it. */
const ABOUT_IT = 0.33;

interface Asking extends Question {
  readonly where: Where;
}

interface Finding {
  readonly found: readonly Ranked<number>[];
  recent(): Promise<readonly Ranked<number>[]>;
}

export class Search {
  readonly #world: SearchWorld;

  constructor(world: SearchWorld) {
    this.#world = world;
  }

  /** Resolves when every message that is stored now can be found; soon in any case, if a whole history waits. */
  async caughtUp(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([this.#world.caughtUp(), patience]);
    clearTimeout(timer);
  }

  async search(
    scope: SearchScope,
    question: string,
    options: SearchOptions = {},
  ): Promise<readonly SearchHit[]> {
    const { limit = USUAL_LIMIT, ...where } = options;
    const asked = this.#ask(question, where);
    const terms = asked.terms.length > 0 || asked.time?.certain ? asked.terms : asked.spare;
    const { found, recent } = await this.#find(scope, { ...asked, terms });
    const best = found.length > 0 ? found : await recent();
    return this.#hits(scope, best.slice(0, limit));
  }

  async retrieve(
    scope: SearchScope,
    text: string,
    { limit = RETRIEVED, except, ...where }: RetrieveOptions = {},
  ): Promise<readonly SearchHit[]> {
    const asked = this.#ask(text, where);
    const { found, recent } = await this.#find(scope, asked);
    const about = asked.time?.certain
      ? [...found, ...(found.length > limit ? [] : await recent())]
      : found.filter(({ covers }) => covers >= ABOUT_IT);
    const hits = await this.#hits(scope, about.slice(0, 4 * limit));
    return hits
      .filter(({ message, text: said }) => message !== except && !isSigned(said))
      .slice(0, limit);
  }

  lastMessages(scope: SearchScope, which: LastMessages): Promise<readonly SaidMessage[]> {
    return lastSaid(this.#world, scope, which);
  }

  /** What was said in the question narrows what was chosen beside it, never widens it. */
  #ask(text: string, where: Where): Asking {
    const { now, zone } = this.#world;
    const asked = parseQuestion(text, now(), zone);
    const { time } = asked;
    if (!time?.certain) return { ...asked, where };
    const [from, to] = [latest(where.from, time.from), earliest(where.to, time.to)];
    return { ...asked, where: { ...where, from, to } };
  }

  /** Best first; and, where a time or a name was said, a way to the newest of it, whatever it says. */
  async #find(scope: SearchScope, asked: Asking): Promise<Finding> {
    const { db, account, now } = this.#world;
    const { terms, time, where } = asked;
    const named = await findNamed(db, account, terms);
    const matching =
      terms.length === 0 ? null : await findCandidates(this.#world, scope, asked, named, where);
    const found =
      matching === null ? [] : rank(matching.candidates, { ...matching, now: now(), around: time });
    const recent = async () => {
      if (asked.phrases.length > 0 || (!time?.certain && named.words.size === 0)) return [];
      const known = new Set(found.map(({ id }) => id));
      const ids = await findRecent(this.#world, scope, named, where);
      return ids.filter((id) => !known.has(id)).map((id) => ({ id, score: 0, covers: 0 }));
    };
    return { found, recent };
  }

  async #hits(
    scope: SearchScope,
    found: readonly { id: number; score: number }[],
  ): Promise<readonly SearchHit[]> {
    const messages = await said(
      this.#world,
      scope,
      found.map(({ id }) => id),
    );
    return found.flatMap(({ id, score }) => {
      const message = messages.get(id);
      return message === undefined ? [] : [{ ...message, rank: score }];
    });
  }
}

const latest = (a: Date | undefined, b: Date): Date => (a !== undefined && a > b ? a : b);
const earliest = (a: Date | undefined, b: Date): Date => (a !== undefined && a < b ? a : b);
