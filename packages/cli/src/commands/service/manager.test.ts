import { expect, it } from 'vitest';
import { type MachineInfo, selectServiceManager } from './manager.ts';

const machine: MachineInfo = {
  platform: 'linux',
  uid: 1000,
  userFolder: '/home/ana',
  settingsFolder: '/home/ana/.config',
};

it('installs a user service for a person and a system service for root', () => {
  const own = selectServiceManager(machine);
  expect(own?.file).toBe('/home/ana/.config/systemd/user/relay.service');
  expect(own?.install.every(([, flag]) => flag === '--user')).toBe(true);
  const roots = selectServiceManager({ ...machine, uid: 0 });
  expect(roots?.file).toBe('/etc/systemd/system/relay.service');
  expect(roots?.install.flat()).not.toContain('--user');
});

it('reloads a launchd service, whether it was loaded before or not', () => {
  const manager = selectServiceManager({
    ...machine,
    platform: 'darwin',
    userFolder: '/Users/ana',
  });
  expect(manager?.file).toBe('/Users/ana/Library/LaunchAgents/dev.relay-agent.relay.plist');
  expect(manager?.install).toEqual([
    ['-launchctl', 'bootout', 'gui/1000/dev.relay-agent.relay'],
    ['launchctl', 'bootstrap', 'gui/1000', manager?.file],
  ]);
});

it('gives Windows the task as a file', () => {
  const settingsFolder = 'C:\\Users\\Ana\\AppData\\Roaming';
  const manager = selectServiceManager({
    ...machine,
    platform: 'win32',
    uid: null,
    settingsFolder,
  });
  expect(manager?.install[0]).toContain(
    'C:\\Users\\Ana\\AppData\\Roaming\\relay-agent\\service.xml',
  );
  expect(manager?.encoding).toBe('utf16le');
});

it('finds no manager on other systems', () => {
  expect(selectServiceManager({ ...machine, platform: 'aix' })).toBeNull();
});
