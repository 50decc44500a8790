import type { PairedDevice, RemoteStatus } from '@relay/contract/api/remote';
import { expect, test } from 'vitest';
import { configureProxy, describePath, describeRemote, formatDevices, PROXIES } from './remote.ts';

const device: PairedDevice = {
  id: '5a1d7a3e-52ce-4b0e-8a2c-7e2f5d3c9b10',
  name: 'My\u001b phone',
  host: 'relay.example.org',
  synced: true,
  created_at: '2026-11-01T09:00:00.000Z',
  last_used_at: null,
};
const on: RemoteStatus = { origin: 'https://relay.example.org', port: 3214, devices: [] };
const off = { ...on, origin: null };
const nothing = { proxy: null, path: null };

test('says how to turn access on, and what each way means', () => {
  const text = describeRemote(off, nothing).join('\n');
  for (const said of [
    'is off',
    'Tailscale',
    'Caddy',
    'Cloudflare',
    '`relay remote enable https://',
  ])
    expect(text).toContain(said);
});

test('says where access is on, whether the way works, and to pair a phone next', () => {
  const path = describePath(401, 'passkey_required');
  expect(describeRemote(on, { proxy: null, path })).toEqual([
    'Access from a phone is on: https://relay.example.org',
    'Relay listens on 127.0.0.1:3214 only; your proxy forwards to it.',
    'Reached from this machine: the proxy and the certificate work.',
    '0 devices paired.',
    '',
    'Next: pair your phone with `relay remote pair`.',
  ]);
  const paired = describeRemote({ ...on, devices: [device] }, nothing);
  expect(paired.at(-1)).toBe('1 device paired.');
});

test.each<[number, string | null, string]>([
  [421, 'bad_host', 'Let it keep the Host header.'],
  [403, 'tls_required', 'Let it set X-Forwarded-Proto.'],
  [502, null, 'Something else than Relay answers there (status 502).'],
])('says what a proxy does wrong: %i %s', (status, code, sentence) => {
  expect(describePath(status, code)).toContain(sentence);
});

test('prints the configuration of each proxy for the port and the address', () => {
  expect(configureProxy('caddy', on)).toEqual([
    '# Caddyfile',
    'relay.example.org {',
    '\treverse_proxy 127.0.0.1:3214',
    '}',
  ]);
  const tailnet = { origin: 'https://box.tail1234.ts.net:8443', port: 4000 };
  expect(configureProxy('tailscale', tailnet).at(-1)).toBe(
    'tailscale serve --bg --https=8443 4000',
  );
  expect(configureProxy('cloudflare', on).slice(4)).toEqual([
    'tunnel: relay',
    'ingress:',
    '  - hostname: relay.example.org',
    '    service: http://127.0.0.1:3214',
    '  - service: http_status:404',
  ]);
  for (const proxy of PROXIES) expect(configureProxy(proxy, off).join('\n')).not.toContain('null');
});

test('lists devices without what their names could do to the terminal', () => {
  expect(formatDevices([device], new Date('2026-11-18T09:00:00Z'))).toEqual([
    expect.stringMatching(
      /^My⟨U\+001B⟩ phone {2}last signed in .*, paired 2026-11-01, passkey synced/,
    ),
  ]);
});
