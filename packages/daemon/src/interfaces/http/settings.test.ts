import { RelayError } from '@relay/contract/errors';
import { expect, test } from 'vitest';
import { standIns } from './testing/stand-ins.ts';
import { bearer, listening } from './testing/wire.ts';

const path = '/api/settings';

async function server(overrides: Parameters<typeof standIns>[0] = {}) {
  const { deps, configured } = standIns(overrides);
  const http = await listening(deps);
  const patch = async (changed: unknown) => {
    const headers = { ...bearer, 'content-type': 'application/json' };
    const { status, body } = await http.call({
      method: 'PATCH',
      path,
      headers,
      body: JSON.stringify(changed),
    });
    return { status, body: JSON.parse(body) };
  };
  return { http, configured, patch };
}

test('shows whether keys are set and never a key', async () => {
  const { http } = await server();
  const { status, body } = await http.call({ path, headers: bearer });
  expect(status).toBe(200);
  const shown = JSON.parse(body);
  expect(shown.model).toMatchObject({ has_key: expect.any(Boolean) });
  expect(Object.keys(shown.model)).not.toContain('model_api_key');
  expect(shown.web_search).toEqual({ has_key: expect.any(Boolean) });
});

test('changes only the named settings and returns the effective ones', async () => {
  const { patch, configured } = await server();
  const changed = {
    pacing: { per_day: 40, per_hour: null },
    auto_reply: { quiet_hours: { from: '22:00', to: '07:00' } },
    retention: { digests_days: 7 },
    brave_api_key: 'BSA-1',
  };
  expect(await patch(changed)).toMatchObject({ status: 200, body: { settings: [] } });
  expect(configured).toEqual([changed]);
});

test.each([
  { pacing: { per_day: 0 } },
  { pacing: { per_day: 'many' } },
  { pacing: { enabled: false } },
  { auto_reply: { quiet_hours: { from: '25:00', to: '07:00' } } },
  { zone: 'Nowhere/Here' },
  { log_level: 'chatty' },
  { retention: { digests_days: 0 } },
  { admin_phone_numbers: ['14155550142'] },
  { daemon_port: 80 },
  { nonsense: true },
  { model_provider: 'antrophic' },
])('refuses %j and changes nothing', async (changed) => {
  const { patch, configured } = await server();
  expect(await patch(changed)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(configured).toEqual([]);
});

test('accepts a provider in any spelling, and lists the providers when it is unknown', async () => {
  const { patch, configured } = await server();
  expect(await patch({ model_provider: ' OpenAI ' })).toMatchObject({ status: 200 });
  expect(configured).toEqual([{ model_provider: 'openai' }]);
  const { body } = await patch({ model_provider: 'antrophic' });
  expect(body.error).toContain('anthropic');
});

test('names the environment variable that overrides a setting', async () => {
  const settings = {
    ...standIns().deps.settings,
    change: async () => {
      throw new RelayError('setting_from_environment', {
        setting: 'log_level',
        variable: 'RELAY_LOG_LEVEL',
      });
    },
  };
  const { patch } = await server({ settings });
  const { status, body } = await patch({ log_level: 'debug' });
  expect(status).toBe(409);
  expect(body.error).toContain('RELAY_LOG_LEVEL');
});
