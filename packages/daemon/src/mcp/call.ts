// One call of a tool as the tool sees it, by whichever door it came. Invariant: whose call it is and what that
// opens was looked up at this call; nothing of it comes from the program.
import type { ChatId } from '@relay/core/ids';
import type { TokenHolder } from '@relay/core/policy/actors';
import type { Program } from '@relay/core/ports/tokens';
import type { SearchScope } from '../search/scope.ts';
import type { Reader } from '../store/database.ts';
import type { ProgramWorld } from './world.ts';

/** What whoever sits at the program said; `cannot` when there is no way to ask them. */
export type Confirmed = 'yes' | 'no' | 'cannot';

/** Thrown by a door out of a call that begins anew once somebody has answered. */
export class Ask extends Error {
  readonly question: string;

  constructor(question: string) {
    super('somebody is asked first');
    this.question = question;
  }
}

/** What the door a call came by can do. */
export interface Door {
  readonly signal: AbortSignal;
  /** The program's own name for the call: the same again answers what became of the first. */
  readonly key: string | null;
  progress(sentence: string): void;
  /** May begin the call anew with the answer: whatever comes before must have changed nothing. */
  confirm(question: string): Promise<Confirmed>;
}

export interface Call extends Door {
  readonly world: ProgramWorld;
  readonly program: Program;
  readonly actor: TokenHolder;
  /** What it may find and read. */
  readonly scope: SearchScope;
  /** Before words of these chats are handed out. */
  noteRead(db: Reader, chats: readonly ChatId[]): Promise<void>;
  /** Work that is done in the order in which the calls of this token came. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}
