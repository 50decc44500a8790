// One call of a tool, by whichever door it came. Invariant: whose token it is and what that opens is looked
// up at this call; the input is read by the tool's schema before the tool sees it, and nothing but the
// tool's own output goes back.
import { RelayError } from '@relay/core/errors';
import type { ChatId } from '@relay/core/ids';
import type { TokenHolder } from '@relay/core/policy/actors';
import { REASONS } from '@relay/core/policy/reasons';
import { actorOf, type Program } from '@relay/core/ports/tokens';
import { z } from 'zod';
import type { SearchScope } from '../search/scope.ts';
import type { Reader } from '../store/database.ts';
import { noteTokenReads } from '../store/tokens.ts';
import { inTime, toldAs } from './failures.ts';
import { TOOLS } from './registry.ts';
import type { ProgramTool } from './tool.ts';
import { Line } from './turns.ts';
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

/** Below the minute that programs wait for an answer by themselves. */
const LIMIT_MS = 50_000;

/** Throws an Ask or a RelayError and nothing else. */
export async function callTool(
  world: ProgramWorld,
  hash: string,
  name: string,
  input: unknown,
  door: Door,
): Promise<Record<string, unknown>> {
  const tool = TOOLS.get(name);
  // Before anything is waited for: this is when the call came.
  const line = new Line(world.turns, `${hash} ${tool?.name}`);
  try {
    return await inTime(tool?.limitMs ?? LIMIT_MS, door.signal, async (signal) => {
      const program = await world.tokens.known(hash);
      if (program === null) throw new RelayError('unauthorized');
      if (tool === undefined) throw new RelayError('tool_not_found', { tool: name.slice(0, 60) });
      if (!opens(program, tool)) {
        throw new RelayError('denied', { reason: REASONS.missing_scope.sentence });
      }
      const given = tool.input.safeParse(input ?? {});
      if (!given.success) {
        throw new RelayError('invalid_request', { what: oneLine(z.prettifyError(given.error)) });
      }
      world.log.debug('tool called', { route: tool.name, body: JSON.stringify(given.data) });
      const call = callOf(world, program, { ...door, signal }, line);
      return tool.output.parse(await tool.run(call, given.data));
    });
  } catch (error) {
    throw error instanceof Ask ? error : toldAs(world.log, name.slice(0, 60), error);
  } finally {
    line.leave();
  }
}

export const opens = ({ scopes }: Program, { scope }: ProgramTool): boolean =>
  scopes.includes(scope);

function callOf(world: ProgramWorld, program: Program, door: Door, line: Line): Call {
  return {
    ...door,
    world,
    program,
    actor: actorOf(program),
    scope: { kind: 'token', contacts: program.contacts },
    noteRead: (db, chats) => noteTokenReads(db, world.lease.account, program.id, chats),
    inTurn: (work) => line.inTurn(work),
  };
}

const oneLine = (text: string): string =>
  text
    .replace(/✖ /g, '')
    .replace(/\s*\n\s*(→ )?/g, '; ')
    .slice(0, 400);
