// Receives a webhook when somebody writes, and answers through a tool: a starting point for a flow in n8n, Zapier or
// your own backend. Needs only Node's standard library and relay-agent/client.
//
//   npm install relay-agent
//   npx relay token create --name receiver --scopes messages:send --no-confirm      # prints RELAY_TOKEN
//   npx relay webhook add http://127.0.0.1:8787 --events message.received            # prints WEBHOOK_SECRET
//   RELAY_TOKEN=… WEBHOOK_SECRET=whsec_… node webhook-receiver.mjs
//
// Relay calls addresses in your own network only if relay.config.json allows them:
//   { "webhooks": { "allow": ["127.0.0.1:8787"] } }
// The token writes only to contacts to whom you have granted replies. Without --read, your own model does not also
// answer them:
//   npx relay grant +15550000001 --reply
import { createServer } from 'node:http';
import { createRelayClient, RelayWebhookError, verifyWebhook } from 'relay-agent/client';

const { RELAY_URL, RELAY_TOKEN, WEBHOOK_SECRET, PORT = '8787' } = process.env;
if (!RELAY_TOKEN || !WEBHOOK_SECRET) {
  console.error('RELAY_TOKEN and WEBHOOK_SECRET are needed; see the head of this file.');
  process.exit(2);
}

const relay = createRelayClient({ token: RELAY_TOKEN, ...(RELAY_URL && { baseUrl: RELAY_URL }) });

const server = createServer(async (request, response) => {
  const body = await bytesOf(request);
  let event;
  try {
    event = await verifyWebhook(WEBHOOK_SECRET, request.headers, body);
  } catch (error) {
    if (!(error instanceof RelayWebhookError)) throw error;
    console.log(`refused: ${error.message}`);
    return void response.writeHead(401).end();
  }
  // Responds first, then handles the event: Relay waits for the response, and repeats a call without one.
  response.writeHead(204).end();
  await react(event, String(request.headers['webhook-id'])).catch((error) =>
    console.error(`not answered: ${error.message}`),
  );
});

/** `id` is the same each time a webhook call is repeated: used as the idempotency key, it limits the answer to one. */
async function react({ type, data }, id) {
  if (type !== 'message.received' || data.chat_kind !== 'direct' || data.late) {
    return console.log(`ignored: ${type}`);
  }
  const answer = await relay.tools.send_message(
    { chat_id: data.chat_id, message: 'Thank you, your message is here. I will read it tonight.' },
    { idempotencyKey: id },
  );
  console.log(`answered: ${answer.status}${answer.reason ? ` (${answer.reason})` : ''}`);
}

async function bytesOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
