// `relay remote`: access to the console from a phone, through a proxy of the owner's. Shows the state and the next step,
// stores the address, prints the proxy's configuration, pairs devices and removes them.
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PairedDevice, RemoteStatus } from '@relay/contract/api/remote';
import { RelayError } from '@relay/contract/errors';
import { clientOf } from '../api.ts';
import type { CommandOptions, RunCommand } from '../command.ts';
import { formatClock, formatCount, formatRows, toOneLine, toPrintable } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { drawQrCode, fitsTerminal } from './whatsapp-link.ts';

export const showRemoteCommand: RunCommand = async ({ config, terminal, options }) => {
  const status = await clientOf(config.home).get('/api/remote');
  const { origin } = status;
  const proxy = proxyOf(options, origin);
  const path = origin === null || terminal.json ? null : await checkPath(origin);
  if (terminal.json) terminal.writeJson(status);
  else for (const line of describeRemote(status, { proxy, path })) terminal.writeLine(line);
  return 0;
};

export const enableRemoteCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const body = { origin: args[0] ?? '' };
  const status = await clientOf(config.home).patch('/api/remote', { body });
  if (terminal.json) {
    terminal.writeJson(status);
    return 0;
  }
  terminal.writeLine(`Phones may use ${status.origin} now. Relay itself stays on 127.0.0.1.`);
  const proxy = proxyOf(options, status.origin) ?? usualProxy(status.origin ?? '');
  for (const line of ['', ...configureProxy(proxy, status), '', ...NEXT_STEPS])
    terminal.writeLine(line);
  return 0;
};

export const disableRemoteCommand: RunCommand = async ({ config, terminal }) => {
  const status = await clientOf(config.home).delete('/api/remote');
  if (terminal.json) terminal.writeJson(status);
  else {
    terminal.writeLine('Access from a phone is off. All devices are signed out.');
    terminal.note('Stop the proxy too: see docs/guides/phone.md.');
  }
  return 0;
};

// `relay remote pair`: shows the QR code, and waits until a device has used it.

const LOOK_EVERY_MS = 1_000;
/** Rows beside the code: one above it, the address, the sentence, the cursor. */
const ROWS_AROUND = 5;

export const pairDeviceCommand: RunCommand = async ({ config, terminal }) => {
  const client = clientOf(config.home);
  const before = await client.get('/api/remote');
  const { url, expires_at } = await client.post('/api/remote/pairings');
  if (terminal.json) {
    terminal.writeJson({ url, expires_at });
    return 0;
  }
  if (!terminal.isInteractive) {
    terminal.writeLine(url);
    return 0;
  }
  await showPairing(terminal, url);
  const known = new Set(before.devices.map(({ id }) => id));
  while (Date.now() < Date.parse(expires_at)) {
    await sleep(LOOK_EVERY_MS);
    const { devices } = await client.get('/api/remote');
    const paired = devices.find(({ id }) => !known.has(id));
    if (paired === undefined) continue;
    terminal.writeLine(`Paired: ${toOneLine(paired.name)}.`);
    terminal.note('If that was not you, run `relay remote devices remove` with this name.');
    return 0;
  }
  throw new RelayError('pairing_code_invalid');
};

async function showPairing(terminal: Terminal, url: string): Promise<void> {
  const plain = await drawQrCode(url, false);
  const rows = plain.length + ROWS_AROUND;
  const isDrawn = fitsTerminal(terminal, rows, plain[0]?.length ?? 0);
  const coloured = terminal.colours.isColorSupported;
  const code = !isDrawn ? [] : coloured ? await drawQrCode(url, true) : plain;
  terminal.draw([
    '',
    ...code,
    url,
    isDrawn
      ? 'Scan the code with the camera of your phone. It pairs one device, within 5 minutes.'
      : 'Open the address on your phone, or make the window larger to see a QR code.',
  ]);
}

export const listDevicesCommand: RunCommand = async ({ config, terminal }) => {
  const { devices } = await clientOf(config.home).get('/api/remote');
  if (terminal.json) terminal.writeJson(devices);
  else if (devices.length === 0) {
    terminal.progress('No device is paired. Pair one with `relay remote pair`.');
  } else for (const line of formatDevices(devices, new Date())) terminal.writeLine(line);
  return 0;
};

export const removeDeviceCommand: RunCommand = async ({ config, terminal, args }) => {
  const path = { device: args[0] ?? '' };
  const removed = await clientOf(config.home).delete('/api/remote/devices/{device}', { path });
  if (terminal.json) terminal.writeJson(removed);
  else
    terminal.writeLine(
      `Removed ${toOneLine(removed.name)}. It is signed out, and its passkey is refused.`,
    );
  return 0;
};

export const formatDevices = (devices: readonly PairedDevice[], now: Date): string[] =>
  formatRows(
    devices.map((device) => [toOneLine(device.name), describeDevice(device, now)]),
    '',
  );

function describeDevice({ last_used_at, created_at, synced }: PairedDevice, now: Date): string {
  const used = last_used_at ?? created_at;
  return [
    `last signed in ${formatClock(new Date(used), now)}`,
    `paired ${created_at.slice(0, 10)}`,
    synced ? 'passkey synced to an account' : 'passkey on this device only',
  ].join(', ');
}

// Descriptions of the state. Pure.

const WAYS: readonly (readonly [string, string])[] = [
  ['Tailscale', 'a private network: only your own devices reach the address'],
  ['Caddy', 'your own domain: ports 80 and 443 of this machine must be reachable'],
  ['Cloudflare Tunnel', 'your own domain, no open port: Cloudflare can read the traffic'],
];
const NEXT_STEPS = [
  'Then check the way with `relay remote`, and pair your phone with `relay remote pair`.',
];

interface RemoteLayout {
  /** The proxy whose configuration was asked for. */
  readonly proxy: ProxyName | null;
  /** The result of the check of the address; null while access is off. */
  readonly path: string | null;
}

export function describeRemote(status: RemoteStatus, { proxy, path }: RemoteLayout): string[] {
  const { origin, port, devices } = status;
  if (origin === null) {
    return [
      'Access from a phone is off: the console is open on this machine only.',
      '',
      'To turn it on:',
      '1. Choose how your phone reaches this machine:',
      ...formatRows(WAYS),
      '2. Run `relay remote enable https://relay.example.org` with your address.',
      '   It prints the configuration of the proxy.',
      '3. Run `relay remote pair` and scan the QR code.',
      ...(proxy === null ? [] : ['', ...configureProxy(proxy, status)]),
    ];
  }
  return [
    `Access from a phone is on: ${toPrintable(origin)}`,
    `Relay listens on 127.0.0.1:${port} only; your proxy forwards to it.`,
    ...(path === null ? [] : [path]),
    `${formatCount(devices.length, 'device')} paired.`,
    ...(proxy === null ? [] : ['', ...configureProxy(proxy, status)]),
    ...(devices.length > 0 ? [] : ['', 'Next: pair your phone with `relay remote pair`.']),
  ];
}

// The configuration of the proxy.

export const PROXIES = ['caddy', 'tailscale', 'cloudflare'] as const;
type ProxyName = (typeof PROXIES)[number];

function proxyOf({ proxy }: CommandOptions, origin: string | null): ProxyName | null {
  if (proxy === undefined) return null;
  const found = PROXIES.find((name) => name === proxy);
  if (found !== undefined) return found;
  const usual = usualProxy(origin ?? '');
  throw new RelayError('usage', {
    what: `Give --proxy one of ${PROXIES.join(', ')}, such as --proxy ${usual}.`,
  });
}

const usualProxy = (origin: string): ProxyName =>
  origin.endsWith('.ts.net') ? 'tailscale' : 'caddy';

const EXAMPLE = 'https://relay.example.org';

export function configureProxy(
  proxy: ProxyName,
  { origin, port }: Pick<RemoteStatus, 'origin' | 'port'>,
): string[] {
  const url = new URL(origin ?? EXAMPLE);
  const target = `127.0.0.1:${port}`;
  switch (proxy) {
    case 'caddy':
      return ['# Caddyfile', `${url.host} {`, `\treverse_proxy ${target}`, '}'];
    case 'tailscale':
      return [
        '# Once, on this machine; Tailscale shows the address. Undo: tailscale serve reset',
        `tailscale serve --bg ${url.port === '' ? '' : `--https=${url.port} `}${port}`,
      ];
    case 'cloudflare':
      return [
        '# Once: cloudflared tunnel login',
        '#       cloudflared tunnel create relay',
        `#       cloudflared tunnel route dns relay ${url.hostname}`,
        '# ~/.cloudflared/config.yml, then: cloudflared tunnel run relay',
        'tunnel: relay',
        'ingress:',
        `  - hostname: ${url.hostname}`,
        `    service: http://${target}`,
        '  - service: http_status:404',
      ];
  }
}

// Checks the way to Relay through the proxy, from this machine: Relay must refuse a request without a session in its own
// words.

const CHECK_MS = 5_000;

async function checkPath(origin: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const out = request(`${origin}/api/remote`, { timeout: CHECK_MS, agent: false }, (answer) => {
    let body = '';
    answer.setEncoding('utf8').on('data', (piece: string) => {
      body = (body + piece).slice(0, 2_000);
    });
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    answer.on('error', reject);
  });
  out.on('timeout', () => out.destroy(new Error('no answer within 5 s')));
  out.on('error', reject);
  out.end();
  return promise.then(
    ({ status, body }) => describePath(status, codeIn(body)),
    (error: NodeJS.ErrnoException) =>
      `Not reached from this machine: ${toOneLine(error.message)}. Check the proxy and the name.`,
  );
}

function codeIn(body: string): string | null {
  try {
    const { code } = Object(JSON.parse(body));
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}

export function describePath(status: number, code: string | null): string {
  switch (code) {
    case 'passkey_required':
      return 'Reached from this machine: the proxy and the certificate work.';
    case 'bad_host':
      return 'The proxy does not pass on the host that was asked for. Let it keep the Host header.';
    case 'tls_required':
      return 'The proxy does not say that it was asked over HTTPS. Let it set X-Forwarded-Proto.';
    default:
      return `Something else than Relay answers there (status ${status}). Check where the proxy forwards to.`;
  }
}
