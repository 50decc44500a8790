// `relay config`: every setting with its value, source and meaning, whether a daemon runs or not, and never a secret.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRelay, type Relay } from './relay.ts';

let relay: Relay;
beforeAll(async () => {
  relay = await openRelay();
});
afterAll(() => relay.end());

interface Row {
  readonly name: string;
  readonly value: unknown;
  readonly from: string;
  readonly meaning: string;
}

async function rows(environment: Record<string, string> = {}): Promise<Record<string, Row>> {
  const { exit, out, err } = await relay.runWith(environment, 'config', 'list', '--json');
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  const { settings } = JSON.parse(out) as { settings: Row[] };
  return Object.fromEntries(settings.map((row) => [row.name, row]));
}

const SECRETS = { model_api_key: 'sk-written', brave_api_key: 'brave-written' };

describe('relay config list', () => {
  it('prints the same with and without a daemon, and shows no secret', {
    timeout: 120_000,
  }, async () => {
    await relay.configure({ $schema: './relay.config.schema.json', zone: 'UTC', ...SECRETS });
    const before = await rows({ RELAY_MODEL: 'gpt-x' });
    expect(before.zone).toMatchObject({ value: 'UTC', from: 'file' });
    expect(before.model_name).toMatchObject({ value: 'gpt-x', from: 'environment' });
    expect(before.model_api_key).toMatchObject({ value: null, is_set: true, from: 'file' });
    for (const { meaning } of Object.values(before)) expect(meaning).not.toBe('');

    await relay.start({ RELAY_MODEL: 'gpt-x' });
    // The daemon's environment counts, not that of the command.
    expect(await rows({ RELAY_MODEL: 'other' })).toEqual(before);
    expect((await relay.call('PATCH', '/api/settings', { pacing: { per_day: 41 } })).status).toBe(
      200,
    );
    expect((await rows())['pacing.per_day']).toMatchObject({ value: 41, from: 'console' });
    await relay.stop();
    expect((await rows())['pacing.per_day']).toMatchObject({ value: 41, from: 'console' });

    const { out } = await relay.run('config', 'list');
    expect(out).toContain('changed in the console or by a command');
    expect(out).toMatch(/^model_api_key +\(set, not shown\) +file$/m);
    expect(out).not.toMatch(/sk-written|brave-written/);
    const part = await relay.run('config', 'pacing.per_d');
    expect(part.out.split('\n')[0]).toMatch(/^pacing\.per_day {2}41/);
  });

  it('refuses an unknown setting and suggests the nearest one', async () => {
    await relay.configure({ pacing: { per_dya: 4 } });
    const { exit, err } = await relay.run('config', 'list');
    expect(exit).toBe(2);
    expect(err).toContain('"pacing.per_dya" is not a setting; the closest is "pacing.per_day"');
    expect((await relay.run('start')).err).toContain('the closest is "pacing.per_day"');
  });

  it('refuses to choose between two files', async () => {
    await relay.configure({});
    await writeFile(join(relay.home, 'config.json'), '{}');
    for (const command of ['start', 'config']) {
      expect((await relay.run(command)).err).toContain('config.json, its former name');
    }
  });

  it('has a schema for editors, which ships with the package', async () => {
    const { exit, out } = await relay.run('config', 'schema');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ properties: { daemon_port: { default: 3214 } } });
  });
});
