import { expect, test } from 'vitest';
import { ANAS_CHAT, PLUMBERS_CHAT } from '../policy/testing/cast.ts';
import {
  changed,
  fromChat,
  isTrusted,
  joined,
  prompt,
  type Trusted,
  trusted,
  untrusted,
} from './labelled.ts';

const mom = fromChat('hello', ANAS_CHAT);
const web = untrusted('a page', { chats: [], outside: true });

test('a template keeps the labels of what is put into it', () => {
  expect(prompt`It is ${trusted('noon')}.`).toEqual(trusted('It is noon.'));
  const whole = prompt`She says ${mom}, and the web ${web}.`;
  expect(whole.text).toBe('She says hello, and the web a page.');
  expect(whole.from).toEqual({ chats: [ANAS_CHAT], outside: true });
  expect([isTrusted(whole), isTrusted(prompt`nothing`)]).toEqual([false, true]);
});

test('joined and changed text keeps its labels, and what is empty brings none', () => {
  const both = joined([mom, fromChat('', PLUMBERS_CHAT), trusted('bye')], '\n');
  expect(both.text).toBe('hello\nbye');
  expect(both.from.chats).toEqual([ANAS_CHAT]);
  expect(changed(mom, (text) => text.toUpperCase())).toEqual(fromChat('HELLO', ANAS_CHAT));
});

test('the compiler takes neither a plain string nor text of others for instructions', () => {
  // @ts-expect-error a plain string has no label
  expect(() => prompt`You are ${'a name'}`).toThrow();
  // @ts-expect-error what others wrote is not trusted
  const instructions: Trusted = prompt`You speak with ${mom}`;
  expect(isTrusted(instructions)).toBe(false);
});
