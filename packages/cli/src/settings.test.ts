import { settingsSchema } from '@relay/core/settings';
import { expect, test } from 'vitest';
import { faultIn } from './settings.ts';

const VALUES = [null, true, '', 'info', 'loud', -1, 0, 3214, 65_535, 65_536, 1.5, {}, []];

test('finds a fault exactly where the daemon’s schema does', () => {
  for (const name of [...Object.keys(settingsSchema.shape), 'daemon_prot', 'toString']) {
    for (const value of VALUES) {
      const settings = { [name]: value };
      const { success } = settingsSchema.safeParse(settings);
      expect({ settings, fault: faultIn(settings) !== null }).toEqual({
        settings,
        fault: !success,
      });
    }
  }
  expect(faultIn({})).toBeNull();
});

test('names the setting and what it wants', () => {
  expect(faultIn({ daemon_prot: 1 })).toBe('"daemon_prot" is not a setting');
  expect(faultIn({ log_level: 'loud' })).toBe('"log_level" must be error, warn, info, debug');
});
