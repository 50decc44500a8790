import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, open, type Relay } from '../../testing/command.ts';
import { systemdUnit } from './manager.ts';

let built: string;
let relay: Relay;
beforeAll(async () => {
  built = build();
  relay = await open(built, { ANTHROPIC_API_KEY: 'sk-secret' });
});
afterAll(async () => {
  await relay.end();
  await removeFolder(built);
});

it('previews the service file with this home and without a secret', async () => {
  mkdirSync(relay.home);
  writeFileSync(join(relay.home, 'relay.config.json'), '{"model_api_key":"sk-stored"}');
  const { out, err, exit } = await relay.run('service', 'install', '--print');
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(out).toContain('start');
  expect(out).not.toContain('sk-');
});

it.skipIf(process.getuid?.() !== 0)(
  'lets a system service write every folder that the settings name',
  async () => {
    const settings = {
      model_api_key: 'sk-stored',
      backup: { folder: '/mnt/disk/relay', copy_to: '/mnt/nas/relay' },
      outside_memory: { folder: '/srv/digests' },
    };
    writeFileSync(join(relay.home, 'relay.config.json'), JSON.stringify(settings));
    const { out, exit } = await relay.run('service', 'install', '--print');
    expect(exit).toBe(0);
    const writable = [...out.matchAll(/^ReadWritePaths="-(.*)"$/gm)].map(([, path]) => path);
    expect(writable).toEqual(
      expect.arrayContaining([relay.home, '/mnt/disk/relay', '/mnt/nas/relay', '/srv/digests']),
    );
  },
);

it('refuses to install without a key that only the environment has', async () => {
  rmSync(join(relay.home, 'relay.config.json'), { force: true });
  const { out, err, exit } = await relay.run('service', 'install', '--print');
  expect({ exit, out }).toEqual({ exit: 2, out: '' });
  expect(err).toContain('cannot take ANTHROPIC_API_KEY over');
});

it('reports that no service is installed, with the exit code of a stopped one', async () => {
  const { out, exit } = await relay.run('service', 'status', '--json');
  const { installed, running, file } = JSON.parse(out);
  expect({ installed, running, exit }).toEqual({ installed: false, running: false, exit: 3 });
  expect(existsSync(file)).toBe(false);
});

it('uninstalls without an error when nothing is installed', async () => {
  const { out, exit } = await relay.run('service', 'uninstall');
  expect(out).toContain('The service is not installed.');
  expect(exit).toBe(0);
});

const hasAnalyze = (() => {
  try {
    return execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
})();

it.skipIf(!hasAnalyze)('writes a system unit that systemd rates 3.0 or better', () => {
  const unit = join(relay.work, 'relay.service');
  const text = systemdUnit({
    command: [process.execPath, join(built, 'bin/relay.js'), 'start', '--foreground'],
    environment: { RELAY_HOME: '/home/relay/.relay-agent' },
    system: true,
    user: 'relay',
    variablesFile: '/etc/relay-agent/service.env',
    writable: [],
  });
  writeFileSync(unit, text);
  // Exits with an error above the threshold, which it counts in tenths.
  const args = ['security', '--offline=true', '--threshold=30', '--no-pager', unit];
  const report = execFileSync('systemd-analyze', args, { encoding: 'utf8' });
  expect(report).toMatch(/Overall exposure level for relay\.service: [0-2]\.\d/);
});
