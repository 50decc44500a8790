// The programs of docs/api.md, in curl, Node and Python, exactly as the page shows them: only the address and the phone
// number are replaced by those of the test.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { removeFolder } from '../../remove-folder.ts';
import { verifies } from '../../verifies.ts';
import { builtIn } from '../built.ts';
import { BEN, type LinkedRelay, openLinkedRelay } from '../linked.ts';
import { makeToken } from './client.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const TEXT = 'Your parcel arrives on Tuesday.';

let linked: LinkedRelay;
let folder: string;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  linked = await openLinkedRelay({ database: 'beside', settings: { pacing: { enabled: false } } });
  await linked.talk('Hello');
  const { relay } = linked.demo;
  await relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: BEN,
    displayName: 'Ben',
    canRead: true,
    canReply: true,
  });
  const { secret } = await makeToken(linked, {
    scopes: ['messages:send', 'messages:read', 'events:read', 'media:write'],
    contacts: [`+${BEN}`],
    confirm: false,
  });
  folder = await mkdtemp(join(tmpdir(), 'relay quickstart '));
  await mkdir(join(folder, 'node_modules'));
  await writeFile(join(folder, 'invoice.pdf'), '%PDF-1.7 An invoice');
  await symlink(await builtIn(inject('builds')), join(folder, 'node_modules/relay-agent'));
  environment = {
    PATH: process.env.PATH,
    RELAY_TOKEN: secret,
    PYTHONPATH: join(ROOT, 'integrations/python'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
}, 120_000);
afterAll(async () => {
  await linked?.demo.stop();
  await removeFolder(folder);
});

/** All blocks of a language are one program. */
async function shown(language: string): Promise<string> {
  const page = await readFile(join(ROOT, 'docs/api.md'), 'utf8');
  const fence = new RegExp(
    `^\`\`\`${language} ran-by="quickstart\\.int\\.test\\.ts"\n(.*?)^\`\`\`$`,
    'gms',
  );
  return [...page.matchAll(fence)]
    .map(([, code = '']) => code)
    .join('')
    .replaceAll('http://127.0.0.1:3214', linked.demo.api.replace(/\/$/, ''))
    .replaceAll('+4915112345678', `+${BEN}`);
}

test.for([
  ['sh', 'quickstart.sh', 'bash', ['-e']],
  ['js', 'quickstart.mjs', process.execPath, []],
  ['python', 'quickstart.py', 'python3', []],
] as const)(
  'the quickstart in %s sends its message',
  { timeout: 30_000 },
  async ([language, name, program, args]) => {
    verifies('API-V1-QUICKSTART');
    const file = join(folder, name);
    await writeFile(file, await shown(language));
    const { stdout } = await promisify(execFile)(program, [...args, file], {
      cwd: folder,
      env: environment,
    });
    expect(stdout).toMatch(/pending/);
    expect(stdout).toContain(language === 'sh' ? '"sha256"' : 'Hello from Ben');
    await linked.demo.phones.sees(BEN, { text: TEXT });
  },
);
