// Seed 002 calls a failed network -32002. The library knows that number as another error's, of long ago, and
// writes -32602 in its place, in every version of the protocol. Here what leaves says again what was meant.
import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { seedCode } from './seed-error.ts';

/** In place: a transport is known to the library by what it is. */
export function keepSeedCodes(mcp: McpServer): void {
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
  if (isAboutParams(error))
    return { ...message, error: { code: -32602, message: 'Invalid params' } };
  const code = seedCode((error.data as { name?: unknown } | undefined)?.name);
  return code === undefined ? message : { ...message, error: { ...error, code } };
}

/** The library throws what it finds wrong with some requests, and then takes it for a fault of ours. */
const isAboutParams = ({ code, message }: { code: number; message: string }): boolean =>
  code === -32603 && message.startsWith('[') && message.includes('"params"');
