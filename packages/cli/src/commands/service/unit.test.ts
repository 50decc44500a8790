import { expect, it } from 'vitest';
import { launchdPlist, type ServiceSpec, systemdUnit, windowsTask } from './manager.ts';

const spec: ServiceSpec = {
  command: ['/opt/node 24/bin/node', '/home/ana/my "relay"/bin/relay.js', 'start', '--foreground'],
  environment: { RELAY_HOME: '/home/ana/100% relay $HOME', RELAY_PORT: '3214' },
  system: false,
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
