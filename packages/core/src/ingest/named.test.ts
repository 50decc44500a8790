import type { ContactId } from '@relay/contract/ids';
import { expect, test } from 'vitest';
import { createNameResolver, findGroupsByName, onlyContactIn } from './names.ts';

const person = (id: string, names: string[], numbers: string[] = []) => ({
  id: id as ContactId,
  names,
  numbers,
});
const who = createNameResolver(
  [
    person('ana', ['Ana María', 'ana'], ['4915112345678']),
    person('ben', ['Ben']),
    person('other-ben', ['BEN']),
  ],
  '4915100000000',
);

test.each([
  ['Ana María', 'ana'],
  ['ana maria', 'ana'],
  ['~ Ana', 'ana'],
  ['\u200e~\u202fAna María', 'ana'],
  ['+49 151 12345678', 'ana'],
  ['\u202a0151 12345678\u202c', 'ana'],
])('"%s" is %s', (shown, id) => {
  expect(onlyContactIn(who(shown))).toBe(id);
});

test('returns both people with one name, and nobody for an unknown name', () => {
  expect([...who('Ben')]).toEqual(['ben', 'other-ben']);
  expect(onlyContactIn(who('Ben'))).toBeNull();
  expect(who('Zoe').size).toBe(0);
});

test('finds a group by its name, and exactly if another has a similar name', () => {
  const groups = [{ subject: 'Holliday' }, { subject: 'Work' }, { subject: 'work' }];
  const found = (name: string) => findGroupsByName(groups, name).map(({ subject }) => subject);
  expect(found('Holliday')).toEqual(['Holliday']);
  expect(found(' holliday ')).toEqual(['Holliday']);
  expect(found('Holliday (3 messages)')).toEqual(['Holliday']);
  expect(found('work')).toEqual(['work']);
  expect(found('WORK')).toEqual(['Work', 'work']);
  expect(found('Holiday')).toEqual([]);
});
