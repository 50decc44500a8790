// The examples as a user of the package runs them: copied into an empty folder beside it, with plain Node, against a
// linked account of the simulated network.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { freePort } from '../../free-port.ts';
import { removeFolder } from '../../remove-folder.ts';
import { builtIn } from '../built.ts';
import { eventually } from '../gateway.ts';
import { BEN, type LinkedRelay, ME, startLinkedRelay } from '../linked.ts';
import { makeToken } from './client.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../../examples');

/** A folder with the installed package and the examples. */
async function folderOfSomebody(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'relay examples '));
  onTestFinished(() => removeFolder(folder));
  const built = await builtIn(inject('builds'));
  await cp(EXAMPLES, folder, { recursive: true });
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await symlink(built, join(folder, 'node_modules/relay-agent'));
  await symlink('../relay-agent/bin/relay.js', join(folder, 'node_modules/.bin/relay'));
  return folder;
}

function start(
  folder: string,
  linked: LinkedRelay,
  command: readonly string[],
  environment: Record<string, string>,
): ChildProcess {
  const [program = '', ...args] = command;
  return spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      RELAY_URL: linked.demo.api,
      RELAY_HOME: linked.demo.home,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function ended(child: ChildProcess) {
  const said = Promise.all([child.stdout, child.stderr].map((part) => (part ? text(part) : '')));
  const [exit] = await once(child, 'close');
  const [out = '', err = ''] = await said;
  return { exit, out, err };
}

test('the examples do what their first lines say', async () => {
  const port = await freePort();
  const settings = {
    pacing: { enabled: false },
    webhooks: { allow: [`127.0.0.1:${port}`] },
  };
  const linked = await startLinkedRelay({ database: 'beside', settings });
  const { phones, relay, token } = linked.demo;
  const folder = await folderOfSomebody();

  // send-and-wait.mjs: Ben answers as soon as he has read it.
  const asking = start(folder, linked, ['send-and-wait.mjs', `+${BEN}`, 'Are you there?'], {
    RELAY_TOKEN: token,
  });
  const asked = ended(asking);
  await phones.sees(BEN, { text: 'Are you there?', status: 'received' });
  await phones.send(BEN, ME, 'I am');
  expect(await asked).toEqual({ exit: 0, out: 'You: Are you there?\nBen: I am\n', err: '' });

  // mcp-host.mjs: over `relay mcp`, with a token that reads.
  const reading = await makeToken(linked, { scopes: ['messages:read'] });
  const host = start(folder, linked, ['mcp-host.mjs', 'get_chats', '{"unread_only":false}'], {
    RELAY_TOKEN: reading.secret,
  });
  const shown = await ended(host);
  expect(shown).toMatchObject({ exit: 0, err: '' });
  expect(shown.out).toContain('- read_messages: ');
  expect(shown.out).not.toContain('- send_message: ');
  expect(shown.out).toContain('"unread_count": 1');

  // webhook-receiver.mjs: Ben's message is delivered, and answered once by a client that cannot read.
  const [{ id }] = await relay.ok<[{ id: string }]>('GET', '/api/whatsapp/permissions');
  const change = { canRead: false, canReply: true };
  await relay.ok('PATCH', `/api/whatsapp/permissions/${id}`, change);
  const sending = await makeToken(linked, { scopes: ['messages:send'], confirm: false });
  const { secret } = await relay.ok<{ secret: string }>('POST', '/api/webhooks', {
    url: `http://127.0.0.1:${port}`,
    events: ['message.received', 'message.sent'],
  });
  const receiver = start(folder, linked, ['webhook-receiver.mjs'], {
    RELAY_TOKEN: sending.secret,
    WEBHOOK_SECRET: secret,
    PORT: String(port),
  });
  onTestFinished(() => void receiver.kill());
  const heard: string[] = [];
  if (receiver.stdout) {
    createInterface({ input: receiver.stdout }).on('line', (line) => heard.push(line));
  }
  await eventually('the receiver', async () => heard.length > 0 || undefined);
  await phones.send(BEN, ME, 'When are you back?');
  const answer = 'Thank you, your message is here. I will read it tonight.';
  await phones.sees(BEN, { text: answer, status: 'received' });
  // The sent message is delivered as well, and filtered out.
  await eventually(
    'a filtered event',
    async () => heard.includes('ignored: message.sent') || undefined,
  );
  expect(heard.filter((line) => line.startsWith('answered'))).toEqual(['answered: sent']);
  const forged = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' });
  expect(forged.status).toBe(401);
}, 180_000);

test("the clients' settings match what `relay mcp install` writes", async () => {
  const folder = await folderOfSomebody();
  for (const [client, file] of [
    ['claude-desktop', 'claude_desktop_config.json'],
    ['vscode', 'vscode_mcp.json'],
  ] as const) {
    const child = spawn(
      process.execPath,
      ['node_modules/relay-agent/bin/relay.js', 'mcp', 'install', '--print', '--client', client],
      { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } },
    );
    const { out } = await ended(child);
    const sample = JSON.parse(await readFile(join(EXAMPLES, file), 'utf8'));
    const paths = (value: string) => value.replace(/^.*[/\\]/, '');
    const plain = (settings: unknown) =>
      JSON.parse(
        JSON.stringify(settings, (_key, value) =>
          typeof value === 'string' ? paths(value) : value,
        ),
      );
    expect(plain(JSON.parse(out))).toEqual(plain(sample));
  }
});
