import { expect, it } from 'vitest';
import {
  environmentFile,
  launchdPlist,
  type ServiceSpec,
  systemdUnit,
  windowsTask,
} from './manager.ts';

const spec: ServiceSpec = {
  command: ['/opt/node 24/bin/node', '/home/ana/my "relay"/bin/relay.js', 'start', '--foreground'],
  environment: { RELAY_HOME: '/home/ana/100% relay $HOME', RELAY_PORT: '3214' },
  system: false,
  user: null,
  variablesFile: null,
  writable: ['/home/ana/.local/state/relay-agent'],
};

it('quotes every word for systemd, whatever it contains', () => {
  const unit = systemdUnit(spec);
  expect(unit).toContain(
    'ExecStart="/opt/node 24/bin/node" "/home/ana/my \\"relay\\"/bin/relay.js" "start" "--foreground"\n',
  );
  expect(unit).toContain('Environment="RELAY_HOME=/home/ana/100%% relay $HOME"\n');
  expect(systemdUnit({ ...spec, command: ['/a$b'] })).toContain('ExecStart="/a$$b"\n');
});

it('starts a systemd service at login or at boot', () => {
  expect(systemdUnit(spec)).toContain('WantedBy=default.target');
  expect(systemdUnit({ ...spec, system: true })).toContain('WantedBy=multi-user.target');
});

it('passes each word to launchd as one string with XML escaped', () => {
  const plist = launchdPlist({ ...spec, command: ['/a & b', '<c>'] });
  expect(plist).toContain('<string>/a &#38; b</string>\n    <string>&#60;c&#62;</string>');
  expect(plist).toContain('<key>RELAY_HOME</key>\n    <string>/home/ana/100% relay $HOME</string>');
});

it('passes the home to a Windows task, which has no environment', () => {
  const home = 'C:\\Users\\Ana "x"\\relay';
  const task = windowsTask({ ...spec, environment: { RELAY_HOME: home } });
  const preload = /data:text\/javascript,([^&]+)&#34;/.exec(task)?.[1] ?? '';
  expect(decodeURIComponent(preload)).toBe(`process.env["RELAY_HOME"]=${JSON.stringify(home)}`);
  expect(task).toContain('<Command>/opt/node 24/bin/node</Command>');
});

const system: ServiceSpec = {
  ...spec,
  command: ['/usr/bin/node', '/usr/lib/relay/bin/relay.js', 'start', '--foreground'],
  environment: { RELAY_HOME: '/var/lib/relay' },
  system: true,
  user: 'relay',
  variablesFile: '/etc/relay-agent/service.env',
  writable: ['/mnt/my disk'],
};

it('keeps variables out of a systemd unit that everybody can read', () => {
  const unit = systemdUnit({
    ...system,
    environment: { ...system.environment, DATABASE_URL: 'x:y' },
  });
  expect(unit).toContain('EnvironmentFile=/etc/relay-agent/service.env\n');
  expect(unit).not.toContain('DATABASE_URL');
  const variables = { RELAY_HOME: '/a "b"', DATABASE_URL: 'postgres://r:$`\\p%20@h/d' };
  expect(environmentFile(variables).split('\n').slice(1)).toEqual([
    'RELAY_HOME="/a \\"b\\""',
    'DATABASE_URL="postgres://r:\\$\\`\\\\p%20@h/d"',
    '',
  ]);
});

it('lets a system service write only its home and the folders it was given', () => {
  const unit = systemdUnit(system);
  for (const line of [
    'User=relay',
    'ProtectSystem=strict',
    'ProtectHome=yes',
    'PrivateTmp=yes',
    'ReadWritePaths="-/var/lib/relay"',
    'ReadWritePaths="-/mnt/my disk"',
    'RestartPreventExitStatus=2 9 10',
  ]) {
    expect(unit.split('\n')).toContain(line);
  }
  const inHome = systemdUnit({
    ...system,
    environment: { RELAY_HOME: '/home/relay/.relay-agent' },
  });
  expect(inHome).toContain('ProtectHome=read-only\n');
  expect(systemdUnit({ ...system, writable: ['/tmp/x'] })).toContain('PrivateTmp=no\n');
});

it('gives a user service only what works without privileges', () => {
  const unit = systemdUnit(spec);
  expect(unit).toContain('SystemCallFilter=@system-service\n');
  expect(unit).not.toMatch(/^(Protect|Private|Capability|User)/m);
});
