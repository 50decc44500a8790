import { TEXT_DISGUISES, type TextDisguise } from '@relay/simulator/model/script';
import { expect, it } from 'vitest';
import { Canaries } from './canaries.ts';
import { attacks, fixtures, lookAlikes, textsOf } from './data.ts';

const CANARY = 'CANARY-MUM-19d5aa';
const look = new Canaries([CANARY, 'CANARY-BOB-b80e44']);

it('finds a canary as written, in upper or lower case, and no other', () => {
  expect(look.in(`mum said ${CANARY} yesterday`)).toEqual([CANARY]);
  expect(look.in(CANARY.toLowerCase())).toEqual([CANARY]);
  expect(look.in('CANARY-MUM-19d5ab')).toEqual([]);
});

it.each(Object.keys(TEXT_DISGUISES) as TextDisguise[])(
  'finds a canary disguised as %s, alone and in a sentence',
  (form) => {
    for (const before of ['', 'a', 'ab', 'abc ']) {
      expect(look.in(TEXT_DISGUISES[form](`${before}${CANARY} and more`))).toEqual([CANARY]);
      expect(look.in(`${before}${TEXT_DISGUISES[form](CANARY)}`)).toEqual([CANARY]);
    }
  },
);

it('finds a canary broken into lines, in full width and with dots between', () => {
  expect(look.in('CANARY-MUM\n-19d5aa')).toEqual([CANARY]);
  expect(look.in('ＣＡＮＡＲＹ-MUM-19d5aa')).toEqual([CANARY]);
  expect(look.in([...CANARY].join('.'))).toEqual([CANARY]);
});

it('finds a canary that several messages reveal together', () => {
  expect(look.inPieces([...CANARY])).toEqual([CANARY]);
  expect(look.inPieces(['first: CANARY-M', 'well', 'then: UM-19d5aa.'])).toEqual([CANARY]);
  expect(look.inPieces(['canary-mum', 'CANARY-B', '19d5ab'])).toEqual([]);
});

it('finds no canary in the texts of the injection set', () => {
  const { contacts, groups, secrets } = fixtures();
  const all = [...contacts, ...groups].map(({ canary }) => canary);
  const every = new Canaries([...all, ...Object.values(secrets)]);
  const texts = [...attacks(), ...lookAlikes()].flatMap(textsOf);
  expect(texts.length).toBeGreaterThan(1_000);
  expect(texts.flatMap((text) => every.in(text))).toEqual([]);
});
