// The package as a person gets it: packed, installed into an empty folder with install scripts off, run
// from there. What is tested elsewhere from the checkout must not depend on the checkout.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { builtIn } from './built.ts';
import { holdDemo } from './headless.ts';
import { untilGone } from './traces.ts';

const execute = promisify(execFile);
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

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs in the folder of a person who installed the package. */
const node = (args: readonly string[]) =>
  execute(process.execPath, args, { cwd: join(folder, 'prefix') });

describe('the installed package', { timeout: 180_000 }, () => {
  it('brings Baileys and what it is made of in one copy each', async () => {
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

  it('lends its network and its model to the tests of others', async () => {
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

  it('loads nothing but the command itself to say how the daemon is', async () => {
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
    const names = loaded.map((line) => line.replace(/.*\/relay-agent\//, ''));
    expect(names).toEqual(['bin/relay.js', 'cli/main.js']);
  });
});
