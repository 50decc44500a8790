import { expect, test } from 'vitest';
import { ANAS_CHAT, PLUMBERS_CHAT } from '../policy/testing/cast.ts';
import {
  isTrustedText,
  joinTexts,
  mapText,
  prompt,
  type TrustedText,
  textFromChat,
  trustedText,
  untrustedText,
} from './labelled-text.ts';

const mom = textFromChat('hello', ANAS_CHAT);
const web = untrustedText('a page', { chats: [], outside: true });

test('a template keeps the labels of inserted texts', () => {
  expect(prompt`It is ${trustedText('noon')}.`).toEqual(trustedText('It is noon.'));
  const whole = prompt`She says ${mom}, and the web ${web}.`;
  expect(whole.text).toBe('She says hello, and the web a page.');
  expect(whole.taint).toEqual({ chats: [ANAS_CHAT], outside: true });
  expect([isTrustedText(whole), isTrustedText(prompt`nothing`)]).toEqual([false, true]);
});

test('joined and changed text keeps its labels, and empty text adds none', () => {
  const both = joinTexts([mom, textFromChat('', PLUMBERS_CHAT), trustedText('bye')], '\n');
  expect(both.text).toBe('hello\nbye');
  expect(both.taint.chats).toEqual([ANAS_CHAT]);
  expect(mapText(mom, (text) => text.toUpperCase())).toEqual(textFromChat('HELLO', ANAS_CHAT));
});

test('the compiler accepts neither a plain string nor others’ text as instructions', () => {
  // @ts-expect-error a plain string has no label
  expect(() => prompt`You are ${'a name'}`).toThrow();
  // @ts-expect-error what others wrote is not trusted
  const instructions: TrustedText = prompt`You speak with ${mom}`;
  expect(isTrustedText(instructions)).toBe(false);
});
