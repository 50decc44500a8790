// Search over all that was said, for whoever asks and no further than they may read:
//   search(scope, question, { limit?, from?, to?, chat?, contact? }) → SearchHit[]   best first
//   retrieve(scope, text, { limit?, except? }) → SearchHit[]   what a model is shown beside a question
//   lastMessages(scope, { chat, from?, to?, limit }) → SaidMessage[]   of one chat, oldest first
//   caughtUp() → when every message that is stored now can be found
import type { AccountId, ChatId, ContactId, MessageId } from '@relay/core/ids';
import type { Zone } from '@relay/core/schedule/zone';
import { parseQuestion, type Question } from '@relay/core/search/query';
import { rank } from '@relay/core/search/rank';
import type { Reader } from '../store/database.ts';
import { findCandidates, type Where } from './candidates.ts';
import { lastSaid, type SaidMessage, said } from './said.ts';
import type { SearchScope } from './scope.ts';

export interface SearchWorld {
  readonly db: Reader;
  readonly account: AccountId;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  readonly zone: Zone;
  readonly now: () => Date;
  readonly caughtUp: () => Promise<void>;
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
/** A message that has less of the question than this is not about it. */
const ABOUT_IT = 0.45;

export class Search {
  readonly #world: SearchWorld;

  constructor(world: SearchWorld) {
    this.#world = world;
  }

  /** Resolves when every message that is stored now can be found. */
  caughtUp(): Promise<void> {
    return this.#world.caughtUp();
  }

  async search(
    scope: SearchScope,
    question: string,
    options: SearchOptions = {},
  ): Promise<readonly SearchHit[]> {
    const asked = this.#ask(question);
    const terms = asked.terms.length > 0 ? asked.terms : asked.spare;
    const found = await this.#find(scope, { ...asked, terms }, options);
    return this.#hits(scope, found.slice(0, options.limit ?? USUAL_LIMIT));
  }

  async retrieve(
    scope: SearchScope,
    text: string,
    { limit = RETRIEVED, except }: RetrieveOptions = {},
  ): Promise<readonly SearchHit[]> {
    const found = await this.#find(scope, this.#ask(text), {});
    const hits = await this.#hits(
      scope,
      found.filter(({ covers }) => covers >= ABOUT_IT).slice(0, limit + 1),
    );
    return hits.filter(({ message }) => message !== except).slice(0, limit);
  }

  lastMessages(scope: SearchScope, which: LastMessages): Promise<readonly SaidMessage[]> {
    return lastSaid(this.#world, scope, which);
  }

  #ask(text: string): Question {
    return parseQuestion(text, this.#world.now(), this.#world.zone);
  }

  async #find(scope: SearchScope, asked: Question, options: SearchOptions) {
    if (asked.terms.length === 0) return [];
    const { time } = asked;
    const where: Where = {
      ...options,
      ...(time?.certain ? { from: options.from ?? time.from, to: options.to ?? time.to } : {}),
    };
    const { candidates, frequencies } = await findCandidates(this.#world, scope, asked, where);
    return rank(candidates, frequencies, this.#world.now());
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
