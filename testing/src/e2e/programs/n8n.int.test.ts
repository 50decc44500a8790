// The nodes for n8n in a real n8n: a message on WhatsApp starts a workflow, which answers through Relay.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFailed, onTestFinished, test } from 'vitest';
import { freePort } from '../../free-port.ts';
import { onServer } from '../../postgres.ts';
import { removeFolder } from '../../remove-folder.ts';
import { verifies } from '../../verifies.ts';
import { eventually } from '../gateway.ts';
import { BEN, ME, openLinkedRelay } from '../linked.ts';
import { makeToken } from './client.ts';

const NODES = join(import.meta.dirname, '../../../../integrations/n8n');
const READ = 'The newest message is: ';
const AGENTS_ANSWER = 'Thanks, Ben.';
const CREDENTIALS = { relayApi: { id: 'the credentials', name: 'Relay' } };

const node = (name: string, type: string, parameters: object) => ({
  id: name,
  name,
  type: `CUSTOM.${type}`,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  credentials: CREDENTIALS,
  ...(type === 'relayTrigger' && { webhookId: 'heard' }),
});
const after = (name: string) => ({ main: [[{ node: name, type: 'main', index: 0 }]] });

/** Reads the chat of a message, writes what is in it, and answers. */
const WORKFLOW = {
  name: 'Answers',
  active: false,
  settings: {},
  nodes: [
    node('Heard', 'relayTrigger', { events: ['message.received'], includeText: true }),
    node('Read', 'relay', {
      operation: 'listMessages',
      chatId: '={{ $json.data.chat_id }}',
      limit: 1,
    }),
    node('Repeat', 'relay', {
      operation: 'sendMessage',
      to: `+${BEN}`,
      text: `=${READ}{{ $json.text }}`,
    }),
    node('Answer', 'relay', {
      operation: 'sendMessage',
      to: "={{ $('Heard').item.json.data.contact_id }}",
      text: "=n8n heard: {{ $('Heard').item.json.data.text }}",
    }),
  ],
  connections: { Heard: after('Read'), Read: after('Repeat'), Repeat: after('Answer') },
};

function programPath(): string {
  const path = process.env.N8N;
  if (path === undefined) throw new Error('There is no n8n; set N8N to one, as scripts/n8n does.');
  return path;
}

/** Signs up as n8n's owner, and adds the credentials and the workflow, as a browser does. */
async function activate(port: number, data: object): Promise<void> {
  let cookie = '';
  const ask = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(`http://127.0.0.1:${port}/rest/${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'browser-id': 'test', cookie },
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    expect([path, response.status, answer]).toEqual([path, 200, answer]);
    cookie ||= response.headers.get('set-cookie')?.split(';')[0] ?? '';
    return JSON.parse(answer).data;
  };
  const owner = {
    email: 'ana@example.org',
    firstName: 'Ana',
    lastName: 'A',
    password: 'Kitchen-tap-180',
  };
  await expect.poll(() => ask('POST', 'owner/setup', owner), { timeout: 120_000 }).toBeDefined();
  const { id } = await ask('POST', 'credentials', { name: 'Relay', type: 'relayApi', data });
  const workflow = JSON.parse(
    JSON.stringify(WORKFLOW).replaceAll('"the credentials"', JSON.stringify(id)),
  );
  const made = await ask('POST', 'workflows', workflow);
  await ask('PATCH', `workflows/${made.id}`, { ...made, active: true });
}

test('a message starts a workflow in n8n, which answers and reads through Relay', {
  timeout: 300_000,
}, async () => {
  verifies('API-V1-N8N');
  const port = await freePort();
  const linked = await openLinkedRelay({
    database: 'beside',
    settings: { pacing: { enabled: false }, webhooks: { allow: [`127.0.0.1:${port}`] } },
  });
  onTestFinished(() => linked.demo.stop());
  await linked.talk('Hello');
  await linked.demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: BEN,
    displayName: 'Ben',
    canRead: true,
    canReply: true,
  });
  const { secret: token } = await makeToken(linked, {
    scopes: ['messages:send', 'messages:read', 'webhooks:write'],
    confirm: false,
  });

  const folder = await mkdtemp(join(tmpdir(), 'relay n8n '));
  onTestFinished(() => removeFolder(folder));
  const database = `${inject('postgres').run}_n8n`;
  await onServer(linked.url, (client) => client.query(`CREATE DATABASE "${database}"`));
  onTestFinished(() =>
    onServer(linked.url, async (client) => {
      await client.query(`DROP DATABASE "${database}" WITH (FORCE)`);
    }),
  );
  const server = new URL(linked.url);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: server.searchParams.get('host') ?? server.hostname,
    DB_POSTGRESDB_PORT: server.searchParams.get('port') ?? server.port,
    DB_POSTGRESDB_USER: decodeURIComponent(server.username),
    DB_POSTGRESDB_PASSWORD: decodeURIComponent(server.password),
    DB_POSTGRESDB_DATABASE: database,
    N8N_USER_FOLDER: folder,
    N8N_CUSTOM_EXTENSIONS: NODES,
    N8N_ENCRYPTION_KEY: 'a key for this test',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_PORT: String(port),
    WEBHOOK_URL: `http://127.0.0.1:${port}/`,
  };
  const running = spawn(process.execPath, [programPath(), 'start'], { env, cwd: folder });
  let log = '';
  for (const part of [running.stdout, running.stderr])
    part.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
  onTestFinished(async () => {
    const ended = once(running, 'close');
    running.kill('SIGTERM');
    await ended;
  });
  onTestFailed(() => console.error(log));
  await activate(port, { baseUrl: linked.demo.api, token, account: 'default' });

  linked.demo.model.rules([{ when: { contains: 'Hello n8n' }, reply: { text: AGENTS_ANSWER } }]);
  await linked.demo.phones.send(BEN, ME, 'Hello n8n');
  const read = await eventually('what the workflow has read', async () => {
    const texts = (await linked.demo.phones.messages(BEN)).map(({ text }) => text ?? '');
    return texts.find((text) => text.startsWith(READ))?.slice(READ.length);
  });
  // Relay's own agent may answer before the workflow reads.
  expect(['Hello n8n', AGENTS_ANSWER]).toContain(read);
  await linked.demo.phones.sees(BEN, { text: 'n8n heard: Hello n8n' });
});
