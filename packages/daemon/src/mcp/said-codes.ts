// What leaves says what was meant. Seed 002 calls a failed network -32002: the library knows that number as
// another error's, of long ago, and writes -32602 in its place. And params that it cannot read it calls an
// error of its own, with all that was wrong with them in place of a sentence.
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type JSONRPCMessage,
  type McpServer,
} from '@modelcontextprotocol/server';
import { seedCode } from './seed-error.ts';

/** No sentence of ours begins so. */
const LISTED = /^\s*\[/;

/** In place: a transport is known to the library by what it is. */
export function sayWhatIsMeant(mcp: McpServer): void {
  const connect = mcp.connect.bind(mcp);
  mcp.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(meant(message), options);
    return connect(transport);
  };
}

function meant(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message;
  const { error } = message;
  if (error.code === INTERNAL_ERROR && LISTED.test(error.message)) {
    return { ...message, error: { code: INVALID_PARAMS, message: 'Invalid params' } };
  }
  const code = seedCode((error.data as { name?: unknown } | undefined)?.name);
  return code === undefined ? message : { ...message, error: { ...error, code } };
}
