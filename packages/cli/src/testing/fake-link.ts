// The WhatsApp link of the fake daemon: goes through the states in `<home>/link.json`, or those of an account being
// linked. Requests and their bodies are recorded in `<home>/asked.jsonl`.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import { connectionSentence, whatsappStatusOf } from '@relay/contract/connection/states';
import { RETENTION_ANSWERS } from './fake-retention.ts';

type Step = Partial<LinkBody> & Pick<LinkBody, 'state'>;

const PHONE = '491701234567';
export const LINKING: readonly Step[] = [
  { state: 'connecting' },
  { state: 'qr_ready', qr: '2@first,code' },
  { state: 'qr_ready', qr: '2@second,code' },
  { state: 'scanned' },
  { state: 'restarting' },
  { state: 'syncing', phone: PHONE, replaying: 2, sentence: 'Connected. 2 left.' },
  { state: 'connected', phone: PHONE, name: 'Ana' },
];
const STEP_MS = 30;

const MESSAGE = {
  id: '3EB0A1',
  from: `${PHONE}@s.whatsapp.net`,
  fromName: 'Ana',
  to: '4915112345678@s.whatsapp.net',
  body: 'Are you there?',
  timestamp: 1_740_567_890_000,
  fromMe: false,
  isGroup: false,
};

const HIT = {
  message_id: MESSAGE.id,
  from_me: false,
  from_name: 'Ana',
  at: '2026-10-01T08:00:00.000Z',
  text: MESSAGE.body,
  chat_id: 'c0ffee00-0000-4000-8000-000000000000',
  chat_name: 'Ana',
  is_group: false,
  contact_id: null,
  source: 'message',
  rank: 1,
  by: 'words',
  before: null,
  after: null,
};

function linkOf(step: Step): LinkBody {
  return {
    status: whatsappStatusOf(step.state),
    sentence: connectionSentence(step.state),
    since: new Date(0).toISOString(),
    phone: null,
    name: null,
    qr: null,
    qrExpiresAt: null,
    pairingCode: null,
    passkey: null,
    retryAt: null,
    replaying: null,
    timeLockedUntil: null,
    fault: null,
    health: {
      lastStanzaAt: null,
      pingMs: null,
      flaps: 0,
      received: 0,
      undecryptable: 0,
      restarts: 0,
    },
    ...step,
  };
}

type Body = Record<string, unknown> | null;

/** The response to each request. */
const ANSWERS: Readonly<Record<string, (home: string, body: Body) => unknown>> = {
  'POST /api/init': (home, body) => {
    const { phone: _phone, ...settings } = body ?? {};
    if (Object.keys(settings).length > 0) {
      writeFileSync(join(home, 'relay.config.json'), JSON.stringify(settings), { mode: 0o600 });
    }
    return { whatsapp_qr_displayed: true };
  },
  ...RETENTION_ANSWERS,
  'GET /api/settings': overviewOf,
  'PATCH /api/settings': (home, body) => {
    writeFileSync(join(home, 'relay.config.json'), JSON.stringify(body), { mode: 0o600 });
    return overviewOf(home);
  },
  'POST /api/settings/model/list': () => ({
    provider: 'anthropic',
    models: ['claude', 'claude-small'],
    embeddings: null,
  }),
  'POST /api/settings/model/trial': () => ({
    ok: true,
    sentence: 'claude answered in 300 ms.',
    ms: 300,
  }),
  'GET /api/whatsapp/permissions': (home) => (existsSync(join(home, 'granted')) ? [{}] : []),
  'GET /api/search': () => ({ sure: true, hits: [HIT] }),
  'GET /api/digests': () => ({ digests: [] }),
  'POST /api/whatsapp/connect': () => ({ status: 'connecting' }),
  'POST /api/whatsapp/disconnect': () => ({ status: 'disconnected' }),
  'GET /api/whatsapp/link': (home) =>
    linkOf(
      (!existsSync(join(home, 'unlinked')) && steps(home).at(-1)) || { state: 'disconnected' },
    ),
  'GET /api/whatsapp/messages': () => ({ messages: [MESSAGE] }),
  'POST /api/whatsapp/messages': (home, body) => {
    const jid = `${String(body?.to).replace(/\D/g, '')}@s.whatsapp.net`;
    const success = !existsSync(join(home, 'unsent'));
    return { success, jid, id: '1', messageId: '3EB0', state: success ? 'pending' : 'failed' };
  },
  'POST /api/whatsapp/probe': (home) =>
    existsSync(join(home, 'unsent'))
      ? { arrived: false, state: 'failed', messageId: '3EB0', sentence: 'It could not be sent.' }
      : { arrived: true, state: 'sent', messageId: '3EB0', sentence: 'Arrived.' },
};

function overviewOf(home: string): object {
  return {
    model: modelIn(home),
    web_search: { has_key: false },
    file: join(home, 'relay.config.json'),
    settings: [],
    secrets: [],
    exported_at: null,
  };
}

function modelIn(home: string): object {
  const file = join(home, 'relay.config.json');
  const written = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const provider = written.model_provider ?? null;
  const shown = {
    provider,
    name: written.model_name ?? null,
    base_url: null,
    has_key: Boolean(written.model_api_key),
  };
  return { ...shown, ready: shown.has_key, sentence: 'No key.' };
}

function steps(home: string): readonly Step[] {
  const file = join(home, 'link.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : LINKING;
}

/** Resolves to false when another handler should answer the request. */
export const fakeLink =
  (home: string) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const asked = `${request.method} ${request.url}`;
    if (!/ \/api\/(whatsapp|init|settings|search|digests|retention|forget|contacts)/.test(asked))
      return false;
    const body = await bodyOf(request);
    const key = request.headers['idempotency-key'];
    appendFileSync(join(home, 'asked.jsonl'), `${JSON.stringify({ asked, body, key })}\n`);
    if (asked === 'GET /api/whatsapp/link/stream') {
      await stream(steps(home), response);
      return true;
    }
    const answer = ANSWERS[asked.replace(/\?.*/, '')];
    if (answer === undefined) return false;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer(home, body)));
    return true;
  };

async function stream(links: readonly Step[], response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const step of links) {
    response.write(`event: link\ndata: ${JSON.stringify(linkOf(step))}\n\n`);
    await sleep(STEP_MS);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? null : JSON.parse(text);
}
