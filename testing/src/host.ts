// A minimal MCP host, like Claude Desktop or an editor: reads its settings, starts the server they name, lists chats,
// and sends a message after asking its user.
//   node testing/src/host.ts <settings file> <to> <message>
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

interface Chats {
  readonly chats: readonly { readonly name: string; readonly last_message: string }[];
}

export interface Visit {
  readonly file: string;
  readonly to: string;
  readonly message: string;
  say(line: string): void;
  /** The user's answer to the question. */
  ask(question: string): Promise<boolean>;
}

export async function visit({ file, to, message, say, ask }: Visit): Promise<unknown> {
  const { relay } = JSON.parse(readFileSync(file, 'utf8')).mcpServers;
  const client = new Client(
    { name: 'a host', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const yes = await ask(params.message);
    return yes ? { action: 'accept', content: { send: true } } : { action: 'decline' };
  });
  await client.connect(new StdioClientTransport(relay));
  try {
    const { chats } = (
      await client.callTool({ name: 'get_chats', arguments: { unread_only: false } })
    ).structuredContent as unknown as Chats;
    for (const chat of chats) say(`${chat.name}: ${chat.last_message}`);
    const sent = await client.callTool({
      name: 'send_message',
      arguments: { chat_id: to, message },
    });
    const [told] = sent.content;
    say(told?.type === 'text' ? told.text : '');
    return sent.structuredContent ?? null;
  } finally {
    await client.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file = '', to = '', message = ''] = process.argv.slice(2);
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ask = async (question: string) => (await lines.question(`${question} [y/N] `)) === 'y';
  await visit({ file, to, message, say: (line) => console.log(line), ask });
  lines.close();
}
