// A fake daemon for the tests of the command: the same files and routes as the daemon, with fixed responses. Files in
// its home control it. It runs in the test's process, or as its own process (fake-daemon-process.ts).
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import { linuxProcessStart } from '@relay/core/installation';
import {
  BACKUPS,
  DEVICE,
  EVAL_DONE,
  EVAL_PLAN,
  IMPORTED,
  MADE_BACKUP,
  NOTIFICATIONS,
  OUTSIDE,
  PROGRAM_TOKEN,
  statusOf,
} from './answers.ts';
import { fakeAssistant } from './fake-assistant.ts';
import { fakeConversations, recordRequest, waiting } from './fake-conversations.ts';
import { fakeLink } from './fake-link.ts';

export interface FakeDaemon {
  /** Removes the files that name this daemon, as the daemon does once everything is flushed. */
  removeFiles(): void;
  close(): Promise<void>;
}

/** Rejects when the port is in use. */
export async function startFakeDaemon(home: string, port: number): Promise<FakeDaemon> {
  mkdirSync(home, { recursive: true });
  chmodSync(home, 0o700);
  const server = createServer(answerRequests(home, port)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const put = (name: string, text: string) =>
    writeFileSync(join(home, name), text, { mode: 0o600 });
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  const { pid } = process;
  put('token', `${FIRST_TOKEN}\n`);
  put('daemon.json', JSON.stringify({ pid, port, process_start: linuxProcessStart(stat, boot) }));
  put('daemon.pid', `${pid}\n`);
  const removeFiles = () => {
    rmSync(join(home, 'daemon.pid'), { force: true });
    rmSync(join(home, 'daemon.json'), { force: true });
  };
  return {
    removeFiles,
    async close() {
      removeFiles();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const FIRST_TOKEN = 'relay_fakefakefakefakefakefakefakefakefakefakefak';

/** Answers that a test wrote to `routes.json`, by method and path. */
function readRoutes(home: string): Readonly<Record<string, unknown>> {
  const file = join(home, 'routes.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Like the daemon, it answers `/healthz` without a token, and nothing while it stops. */
function refusalOf(home: string, request: IncomingMessage, token: string): RelayError | null {
  if (existsSync(join(home, 'stopping'))) return new RelayError('daemon_stopping');
  const isAllowed =
    request.url === '/healthz' || request.headers.authorization === `Bearer ${token}`;
  return isAllowed ? null : new RelayError('unauthorized');
}

function answerRequests(home: string, port: number): RequestListener {
  let token = FIRST_TOKEN;
  const at = (name: string) => join(home, name);
  const put = (name: string, text: string) => writeFileSync(at(name), text, { mode: 0o600 });
  const link = fakeLink(home);
  const assistant = fakeAssistant(home);
  const conversations = fakeConversations(home);
  return async (request, response) => {
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const refusal = refusalOf(home, request, token);
    if (refusal !== null) {
      answer(refusal.status, { error: refusal.message, code: refusal.code });
      return;
    }
    const planned = readRoutes(home)[`${request.method} ${request.url}`];
    if (planned !== undefined) {
      let text = '';
      for await (const chunk of request) text += chunk;
      recordRequest(home, request, text === '' ? null : JSON.parse(text));
      return answer(200, planned);
    }
    if (await link(request, response)) return;
    if (await assistant(request, response)) return;
    if (await conversations(request, response)) return;
    switch (`${request.method} ${request.url}`) {
      case 'GET /healthz':
        return answer(200, { status: 'ok' });
      case 'GET /api/status':
        return answer(200, { ...statusOf(process.pid, home), needs_you_count: waiting(home) });
      case 'GET /api/workers':
        return answer(200, { workers: [], unserved: 0 });
      case 'GET /api/accounts':
        return answer(200, { accounts: [] });
      case 'GET /api/doctor':
        return answer(200, {
          checks: [{ name: 'database', ok: 'yes', found: 'PostgreSQL 18.4 answers.', mend: null }],
        });
      case 'GET /api/eval?set=all&limit=1':
        return answer(200, EVAL_PLAN);
      case 'POST /api/eval':
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return response.end(`event: done\ndata: ${JSON.stringify(EVAL_DONE)}\n\n`);
      case 'POST /api/login-codes':
        return answer(201, { url: `http://127.0.0.1:${port}/login?code=once&next=/` });
      case 'GET /api/remote':
      case 'PATCH /api/remote':
      case 'DELETE /api/remote':
        return answer(200, { origin: null, port, devices: [DEVICE] });
      case 'POST /api/remote/pairings':
        return answer(201, { url: 'https://relay.example.org/#pair=once', qr: '', expires_at: '' });
      case 'DELETE /api/remote/devices/iPhone':
        return answer(200, DEVICE);
      case 'POST /api/token/rotate':
        token = 'relay_newnewnewnewnewnewnewnewnewnewnewnewnewnewn';
        put('token', `${token}\n`);
        return answer(200, { token });
      case 'GET /api/tokens':
        return answer(200, { tokens: [PROGRAM_TOKEN] });
      case 'POST /api/tokens':
        return answer(201, { ...PROGRAM_TOKEN, secret: 'relay_program_fake' });
      case 'POST /api/tokens/claude/rotate':
        return answer(200, { ...PROGRAM_TOKEN, secret: 'relay_program_new' });
      case 'POST /api/tokens/claude/resume':
      case 'DELETE /api/tokens/claude':
        return answer(200, PROGRAM_TOKEN);
      case 'GET /api/export':
      case 'GET /api/export?backup=true':
        response.writeHead(200, { 'content-type': 'application/gzip' });
        return response.end(Buffer.from('1f8b0800', 'hex'));
      case 'GET /api/memory':
        return answer(200, { embeddings: 'off' });
      case 'GET /api/backups':
        return answer(200, BACKUPS);
      case 'POST /api/backups/passphrase':
        return answer(200, { encrypted: true });
      case 'POST /api/backups':
        return answer(201, MADE_BACKUP);
      case 'GET /api/ingest/token':
        return answer(200, {
          exists: existsSync(at('forwarder')),
          created_at: null,
          last_used_at: null,
        });
      case 'POST /api/ingest/token':
        put('forwarder', '');
        return answer(201, { token: 'relay_forwarder_fake' });
      case 'DELETE /api/ingest/token':
        rmSync(at('forwarder'), { force: true });
        response.writeHead(204);
        return response.end();
      case 'GET /api/notifications':
        return answer(200, NOTIFICATIONS);
      case 'POST /api/notifications/test':
        return answer(200, { results: [] });
      case 'PATCH /api/notifications/channels/ntfy':
        return answer(200, NOTIFICATIONS.ntfy);
      case `DELETE /api/notifications/devices/${NOTIFICATIONS.devices[0]?.id}`:
        response.writeHead(204);
        return response.end();
      case 'GET /api/outside-memory':
        return answer(200, OUTSIDE);
      case 'PATCH /api/outside-memory':
        return answer(200, { ...OUTSIDE, folder: '/memory', webhook_secret: 'whsec_fake' });
      case 'POST /api/memory/imports?file=chat.txt&me=Ana': {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.write(`${JSON.stringify({ type: 'progress', lines: 1000, percent: 50 })}\n`);
        request.resume();
        const done = `${JSON.stringify({ type: 'done', report: IMPORTED })}\n`;
        return request.on('end', () => response.end(done));
      }
      case 'POST /api/import': {
        let size = 0;
        request.on('data', (chunk: Buffer) => {
          size += chunk.length;
        });
        return request.on('end', () =>
          answer(200, {
            tables: { messages: size },
            made_at: '2026-11-15T02:00:00.000Z',
            upgraded_from: null,
            suspended_tokens: [],
            disabled_webhooks: [],
            webhooks_without_secret: [],
          }),
        );
      }
      default:
        return answer(404, { error: 'There is nothing here.', code: 'route_not_found' });
    }
  };
}
