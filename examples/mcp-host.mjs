// A minimal MCP host: starts `relay mcp`, initializes, lists the tools and calls one. No library: MCP over standard
// input and output is one JSON message per line.
//
//   npm install relay-agent
//   RELAY_TOKEN="$(npx relay token create --name host --scopes messages:read --json | jq -r .secret)" \
//     node mcp-host.mjs get_chats '{"unread_only":false}'
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [tool = 'get_chats', input = '{}'] = process.argv.slice(2);
// RELAY_TOKEN must be in the environment; RELAY_HOME too, if it is not the default.
const server = spawn('npx', ['relay', 'mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });

const waiting = new Map();
const say = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const ask = (method, params) =>
  new Promise((resolve, reject) => {
    const id = waiting.size + 1;
    waiting.set(id, { resolve, reject });
    say({ id, method, params });
  });
createInterface({ input: server.stdout }).on('line', (line) => {
  const { id, result, error } = JSON.parse(line);
  // A message without one of our ids is a notification, or a request, which a host without capabilities does not get.
  if (error) waiting.get(id)?.reject(new Error(error.message));
  else waiting.get(id)?.resolve(result);
});
server.on('exit', (code) => {
  for (const { reject } of waiting.values()) reject(new Error(`relay mcp ended with ${code}.`));
});

try {
  const { serverInfo } = await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'mcp-host', version: '1.0.0' },
  });
  say({ method: 'notifications/initialized' });
  console.log(`${serverInfo.title ?? serverInfo.name} ${serverInfo.version}`);

  const { tools } = await ask('tools/list', {});
  for (const { name, description } of tools) console.log(`- ${name}: ${description}`);

  const result = await ask('tools/call', { name: tool, arguments: JSON.parse(input) });
  if (result.isError) throw new Error(result.content[0]?.text);
  console.log(JSON.stringify(result.structuredContent, null, 2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  server.stdin.end();
}
