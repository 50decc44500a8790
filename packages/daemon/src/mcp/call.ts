// One call of a tool, by whichever door it came. Invariant: whose token it is and what that opens is looked
// up at this call; the input is read by the tool's schema before the tool sees it, and nothing but the
// tool's own output goes back.
import { written } from '@relay/core/api/written';
import { RelayError } from '@relay/core/errors';
import { REASONS } from '@relay/core/policy/reasons';
import { actorOf, type Program } from '@relay/core/ports/tokens';
import { z } from 'zod';
import { noteTokenReads } from '../store/tokens.ts';
import { inTime, toldAs } from './failures.ts';
import { TOOLS } from './registry.ts';
import { Ask, type Call, type Door, type ProgramTool } from './tool.ts';
import { Line } from './turns.ts';
import type { ProgramWorld } from './world.ts';

/** The program's own name for a call. */
const KEY = written(128);

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
      if (door.key !== null && !KEY.safeParse(door.key).success) {
        throw new RelayError('invalid_request', { what: 'no such key can be kept' });
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
    .replace(/(?<!\s)\s*\n\s*(→ )?/g, '; ')
    .slice(0, 400);
