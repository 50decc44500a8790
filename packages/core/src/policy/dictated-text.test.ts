import { expect, test } from 'vitest';
import { isDictated } from './dictated.ts';

const mom = { name: 'Mom', phone: '15550000010' };
const bob = { name: 'Bob', phone: '15550000011' };
const bobby = { name: 'Bob Miller', phone: '15550000012' };
const everybody = [mom, bob, bobby];

test.each([
  ['Tell Mom I will be 20 minutes late', 'I will be 20 minutes late', mom],
  ['tell mom: I will be late.', 'I will be late', mom],
  ['Please tell Mom that I will be late!', 'I will be late', mom],
  ['Text +15550000010 “see you at eight”', 'See you at eight', mom],
  ['Schreib Mom, dass es später wird', 'Es später wird', mom],
  ['tell Bob Miller hello', 'Hello', bobby],
  ['tell Bob hello', 'hello!', bob],
  ['Let Mom know I will be late', 'I will be late', mom],
  ['please let Mom know that I will be late.', 'I will be late', mom],
  ['Send Bob the message that it is done', 'It is done', bob],
  ['Send Bob: it is done', 'It is done', bob],
])('%s: the owner dictated it', (message, text, recipient) => {
  expect(isDictated(message, text, recipient, everybody)).toBe(true);
});

test.each([
  ['another text', 'Tell Mom I will be late', 'I will be late, my PIN is 1234', mom],
  ['a part of the text', 'Tell Mom I will be late and Bob pays', 'I will be late', mom],
  ['another recipient', 'Tell Mom I will be late', 'I will be late', bob],
  ['a recipient who is only mentioned', 'Tell Mom that Bob: my PIN is 1234', 'my PIN is 1234', bob],
  ['somebody who is let do something', 'Let Mom read my PIN 1234', 'read my PIN 1234', mom],
  ['a word that begins like know', 'Let Mom knowingly see 1234', 'ingly see 1234', mom],
  ['a question', 'What did Mom say? My PIN is 1234', 'My PIN is 1234', mom],
  ['a note that names somebody', 'Read Mom’s messages. My PIN is 1234', 'My PIN is 1234', mom],
  ['a name that begins like another', 'Tell Bob Miller hello', 'Miller hello', bob],
  ['a name that goes on', 'Tell Momma hello', 'ma hello', mom],
  [
    'a second sentence',
    'Tell Mom I will be late. My PIN is 1234, keep it',
    'I will be late. My PIN is 1234, keep it',
    mom,
  ],
  ['a second line', 'Tell Mom hello\nmy PIN is 1234', 'hello my PIN is 1234', mom],
  ['no text', 'Tell Mom', '', mom],
  ['nothing said by the owner', '', 'hello', mom],
])('%s is not dictated', (_, message, text, recipient) => {
  expect(isDictated(message, text, recipient, everybody)).toBe(false);
});

test('a name that two people share is not dictated to either', () => {
  const other = { name: 'mom', phone: '15550000013' };
  expect(isDictated('Tell Mom hello', 'hello', mom, [mom, other])).toBe(false);
});
