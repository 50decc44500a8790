// Answers to what is no call of a tool: resources, prompts, completions. Whose token it is is looked up at each
// of them; what is refused is an error of JSON-RPC with a sentence from the one table, and nothing else.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { RelayError } from '@relay/core/errors';
import type { Program } from '@relay/core/ports/tokens';
import { toldAs } from './failures.ts';
import type { ProgramWorld } from './world.ts';

/** What an answer is made for. */
export interface Asking {
  readonly world: ProgramWorld;
  readonly program: Program;
}

export async function answering<T>(
  world: ProgramWorld,
  hash: string,
  answer: (asking: Asking) => Promise<T>,
): Promise<T> {
  try {
    const program = await world.tokens.known(hash);
    if (program === null) throw new RelayError('unauthorized');
    return await answer({ world, program });
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const told = toldAs(world.log, 'mcp', error);
    throw new ProtocolError(codeOf(told), told.message);
  }
}

const codeOf = ({ code, status }: RelayError): ProtocolErrorCode => {
  if (code === 'unauthorized') return ProtocolErrorCode.InvalidRequest;
  return status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
};
