// The package as a user gets it: packed, installed into an empty folder with install scripts off, and run from there.
// Nothing may depend on the checkout.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { removeFolder } from '../remove-folder.ts';
import { builtIn } from './built.ts';
import { startCannedDaemon } from './canned-daemon.ts';
import { holdDemo } from './headless.ts';
import { untilGone } from './traces.ts';

const execute = promisify(execFile);
const PACKAGES = resolve(import.meta.dirname, '../../../node_modules');
/** Both compilers in use, each with a module resolution. */
const COMPILERS = { typescript: 'nodenext', 'typescript-native': 'preserve' };
const INSTALL_MS = 240_000;
let folder: string;
let command: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relay-installed-'));
  const prefix = join(folder, 'prefix');
  await mkdir(prefix);
  const built = await builtIn(inject('builds'));
  await execute('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: built });
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await execute('npm', ['install', '--prefix', prefix, ...quietly, join(folder, archive)]);
  command = join(prefix, 'node_modules/relay-agent/bin/relay.js');
}, INSTALL_MS);

afterAll(() => removeFolder(folder));

/** Runs in the folder of a user who installed the package. */
const node = (args: readonly string[]) =>
  execute(process.execPath, args, { cwd: join(folder, 'prefix') });

/** Writes each snippet of the client's manual to a file; returns the names. */
async function snippets(prefix: string): Promise<string[]> {
  const manual = await readFile(join(PACKAGES, '../docs/client.md'), 'utf8');
  const blocks = [...manual.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const given = 'declare const process: { env: Record<string, string | undefined> };\n';
  const client = "declare const relay: import('relay-agent/client').RelayClient;\n";
  return Promise.all(
    blocks.map(async (code, i) => {
      const name = `snippet-${i}.mts`;
      const made = code.includes('createRelayClient(');
      await writeFile(join(prefix, name), `export {};\n${given}${made ? '' : client}${code}`);
      return name;
    }),
  );
}

describe('the installed package', { timeout: 180_000 }, () => {
  it('contains everything that was built, such as the browser extension', async () => {
    const built = await readdir(await builtIn(inject('builds')));
    const installed = await readdir(resolve(dirname(command), '..'));
    expect(built.filter((name) => !installed.includes(name))).toEqual([]);
    expect(installed).toContain('extension');
  });

  it('includes one copy each of Baileys and its dependencies', async () => {
    const entries = await readdir(join(folder, 'prefix'), { recursive: true });
    for (const name of ['@whiskeysockets/baileys', 'libsignal', 'whatsapp-rust-bridge']) {
      const copies = entries.filter((path) => path.endsWith(`node_modules/${name}`));
      expect(copies).toEqual([`node_modules/${name}`]);
    }
  });

  it('runs the demo: daemon, simulated network and model answer', {
    timeout: 180_000,
  }, async () => {
    const demo = await holdDemo(command);
    onTestFinished(() => demo.letGo());
    const { api, token, simulator, model, home } = demo.line;
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${api}/api/status`, { headers })).status).toBe(200);
    expect((await fetch(`${simulator}/counts`)).status).toBe(200);
    expect((await fetch(`${model}/v1/models`)).status).toBe(200);
    demo.letGo();
    expect(await demo.ended).toEqual({ exit: 0, err: '', more: [] });
    expect(await untilGone(home)).toEqual([]);
  });

  it('includes what is loaded on demand: the API page and the model providers', async () => {
    const demo = await holdDemo(command);
    onTestFinished(() => demo.letGo());
    const { api, token, model } = demo.line;
    const ask = (path: string, method = 'GET', body?: object) =>
      fetch(`${api}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    for (const page of ['/api/docs', '/api/docs/reference.js', '/api/openapi.json', '/'])
      expect([page, (await ask(page)).status]).toEqual([page, 200]);
    for (const provider of ['anthropic', 'openai', 'google']) {
      await ask('/api/settings', 'PATCH', {
        model_provider: provider,
        model_base_url: `${model}/v1`,
        model_api_key: 'not-a-real-one',
        verify: false,
      });
      const asked = await ask('/api/settings/model/trial', 'POST');
      // The scripted model speaks only OpenAI's protocol, and has no model of the others.
      const sentence = provider === 'openai' ? /answered in/ : /There is no model/;
      expect([provider, await asked.json()]).toEqual([
        provider,
        expect.objectContaining({ sentence: expect.stringMatching(sentence) }),
      ]);
    }
    demo.letGo();
    await demo.ended;
  });

  it('exports its network and its model for the tests of others', async () => {
    const program = `
      import { startSimulator } from 'relay-agent/simulator';
      import { startModelServer } from 'relay-agent/model';
      const simulator = await startSimulator();
      const model = await startModelServer();
      const { phone } = simulator.network.addAccount({ phone: '15550000001', name: 'Me' });
      const models = await (await fetch(model.url + '/v1/models')).json();
      await Promise.all([simulator.close(), model.close()]);
      console.log(JSON.stringify({ phone, listed: models.data.length }));
    `;
    const { stdout } = await node(['--input-type=module', '--eval', program]);
    expect(JSON.parse(stdout)).toEqual({ phone: '15550000001', listed: 2 });
  });

  it('has a client with self-contained types that reconnects by itself', async () => {
    const prefix = join(folder, 'prefix');
    await cp(
      join(import.meta.dirname, '../fixtures/client-program.ts'),
      join(prefix, 'program.mts'),
    );
    const types = await readFile(
      join(prefix, 'node_modules/relay-agent/client/index.d.ts'),
      'utf8',
    );
    expect(types).not.toMatch(/\bfrom ['"]|\bimport\(|<reference/);
    const files = ['program.mts', ...(await snippets(prefix))];
    for (const [compiler, module] of Object.entries(COMPILERS)) {
      const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
      const harness = { target: 'es2022', lib: ['es2024', 'dom'], types: [] };
      const compilerOptions = { ...strict, ...harness, module, noEmit: true };
      const project = JSON.stringify({ compilerOptions, files });
      await writeFile(join(prefix, 'tsconfig.json'), project);
      const tsc = join(PACKAGES, compiler, 'bin/tsc');
      await node([tsc]).catch(({ stdout }) => expect.unreachable(stdout));
    }
    const daemon = await startCannedDaemon();
    onTestFinished(daemon.close);
    const { stdout } = await node(['program.mts', daemon.url]);
    expect(JSON.parse(stdout)).toMatchObject({
      text: '0.1.0',
      id: 'sent',
      chats: { chats: [] },
      refused: {
        status: 404,
        code: 'instance_not_found',
        sentence: 'Not found.',
        retryable: false,
      },
      events: [
        { type: 'ready', cursor: '1' },
        { type: 'ready', cursor: '1' },
        { type: 'event', kind: 'hold', cursor: '2', data: { on: true } },
      ],
      phone: '15550000000',
      forged: 'RelayWebhookError',
      away: true,
    });
    const sends = daemon.asked.filter(({ call }) => call === 'POST /api/whatsapp/messages');
    expect(new Set(sends.map(({ key }) => key)).size).toBe(1);
    expect(sends).toHaveLength(3);
    expect(daemon.asked.filter(({ after }) => after !== undefined)).toEqual([
      { call: 'GET /api/events', after: '1' },
    ]);
  });

  it('has a small client for browsers that can be tree-shaken', async () => {
    const bundled = async (contents: string) => {
      const resolveDir = join(folder, 'prefix');
      const stdin = { contents, resolveDir };
      const options = { bundle: true, minify: true, write: false, format: 'esm' } as const;
      // Modules that only Node has would not resolve.
      const { outputFiles } = await build({ stdin, ...options, platform: 'browser' });
      return outputFiles[0]?.text ?? '';
    };
    const whole = await bundled(`export * from 'relay-agent/client'`);
    expect(gzipSync(whole).length).toBeLessThan(7_000);
    const part = await bundled(`export { verifyWebhook } from 'relay-agent/client'`);
    expect(part).not.toContain('/api/');
    expect(part.length).toBeLessThan(whole.length / 5);
  });

  it('reads few bytes for relay status', async () => {
    const spy = `
      import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => {
        if (url.startsWith('file:')) process._rawDebug('loaded ' + url);
        return next(url, context);
      } });
    `;
    const spied = [`--import=data:text/javascript,${encodeURIComponent(spy)}`, command, 'status'];
    const { stderr } = await node(spied).catch((error: { stderr: string }) => error);
    const loaded = stderr.split('\n').filter((line) => line.startsWith('loaded '));
    const files = loaded.map((line) => fileURLToPath(line.replace('loaded ', '')));
    const own = dirname(dirname(command));
    expect(files.slice(0, 2)).toEqual([command, join(own, 'cli/main.js')]);
    expect(files.every((file) => file.startsWith(own) && !file.includes('/daemon/'))).toBe(true);
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    // It includes neither zod nor yaml.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
  });
});
