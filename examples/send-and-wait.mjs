// Sends a message as you and waits for the answer.
//
//   npm install relay-agent
//   RELAY_TOKEN="$(npx relay token)" node send-and-wait.mjs +15550000001 "Are you there?"
//
// RELAY_TOKEN is your own token, which may do everything: keep it on this machine. RELAY_URL is the daemon's address
// (default http://127.0.0.1:3214); WAIT_SECONDS is how long to wait for an answer (default 60).
import { createRelayClient, RelayApiError, streamEvents } from 'relay-agent/client';

const { RELAY_URL, RELAY_TOKEN, WAIT_SECONDS = '60' } = process.env;
const [to, text] = process.argv.slice(2);
if (!RELAY_TOKEN || !to || !text) {
  console.error('Usage: RELAY_TOKEN="$(npx relay token)" node send-and-wait.mjs <number> <text>');
  process.exit(2);
}

const relay = createRelayClient({ token: RELAY_TOKEN, ...(RELAY_URL && { baseUrl: RELAY_URL }) });

async function main() {
  const link = await relay.get('/api/whatsapp/link');
  if (link.state !== 'connected') throw new Error(link.sentence);
  await grant(to);

  // Listens before the message is sent, so that no answer can come too early.
  const enough = AbortSignal.timeout(Number(WAIT_SECONDS) * 1_000);
  let sent;
  for await (const event of streamEvents(relay, { signal: enough })) {
    if (event.type === 'ready' && sent === undefined) {
      sent = await relay.post('/api/whatsapp/messages', { body: { to, text }, signal: enough });
      console.log(`You: ${text}`);
    }
    if (event.type !== 'event' || event.kind !== 'message') continue;
    const { from, body, fromMe } = event.data;
    if (fromMe || from !== sent?.jid) continue;
    console.log(`${event.data.fromName ?? to}: ${body}`);
    return;
  }
  throw new Error('No answer yet.');
}

/** Lets your agents and clients read what they write; allows nothing else. */
async function grant(phoneNumber) {
  try {
    const body = { phoneNumber, displayName: phoneNumber, canRead: true };
    await relay.post('/api/whatsapp/permissions', { body });
  } catch (error) {
    // They already have a grant.
    if (!(error instanceof RelayApiError) || error.status !== 409) throw error;
  }
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
