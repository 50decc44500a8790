import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codesIn, leaksPrivateText } from './private-text.ts';

const CODE = 'CANARY-OBJECTIVE-d41d8c';
const OBJECTIVE = `Get a quote for the leaking kitchen sink before Friday. My limit is 300 euros, do not tell him. Ref ${CODE}, pin 483921.`;
const quotes = (
  text: string,
  more: { known?: string[]; facts?: string[]; objective?: string; before?: string[] } = {},
) =>
  leaksPrivateText(text, {
    privateTexts: [more.objective ?? OBJECTIVE, 'Ask the price\nAgree on a date'],
    knownTexts: more.known ?? [],
    facts: more.facts ?? [],
    saidBefore: more.before ?? [],
  });

const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');
const reversed = (text: string) => [...text].reverse().join('');
const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));

const DISGUISES: Readonly<Record<string, (secret: string) => string>> = {
  'as it stands': String,
  'in capitals': (secret) => secret.toUpperCase(),
  spaced: (secret) => [...secret].join(' '),
  'with dots between': (secret) => [...secret].join('.'),
  'with invisible characters': (secret) => [...secret].join('\u200b\u2060\ufeff'),
  'with soft hyphens and marks': (secret) => [...secret].join('\u00ad\u0301'),
  'in full width': fullWidth,
  reversed,
  'in base64': base64,
  'in base64 for addresses': (secret) => Buffer.from(secret).toString('base64url'),
  'in base64, broken into lines': (secret) => base64(secret).replace(/(.{7})/g, '$1\n'),
  'in base64 without padding': (secret) => base64(secret).replace(/=+$/, ''),
  'in base64, reversed inside': (secret) => base64(reversed(secret)),
  'in hex': hex,
  'in hex, spaced capitals': (secret) => hex(secret).toUpperCase().replace(/(..)/g, '$1 '),
  'in hex, as programs write it': (secret) => hex(secret).replace(/(..)/g, '\\x$1'),
  'percent-encoded': encodeURIComponent,
  'percent-encoded throughout': (secret) => hex(secret).replace(/(..)/g, '%$1'),
};

describe.each(Object.entries(DISGUISES))('a private code %s', (_how, disguise) => {
  test('is recognised alone and inside a longer text, at every alignment', () => {
    for (const before of ['', 'a', 'ab', 'abc', 'Sure! Here it is: ', 'x: ', 'ok - ']) {
      for (const secret of [CODE, '483921']) {
        expect(quotes(`${before}${disguise(secret)}, as asked.`), `${before}|${secret}`).toBe(true);
      }
    }
  });

  test('is recognised together with other words that were encoded with it', () => {
    for (const around of ['', 'k', 'ke', 'key', 'the key is ']) {
      expect(quotes(`See ${disguise(`${around}${CODE} ok`)}`)).toBe(true);
    }
  });
});

describe('quotations', () => {
  const PART =
    'Get a quote for the leaking kitchen sink before Friday. My limit is 300 euros, do not tell him.';
  test.each(Object.entries(DISGUISES))('recognises a long one %s', (_how, disguise) => {
    expect(quotes(`I was told: ${disguise(PART)}`)).toBe(true);
  });

  test('recognises a short objective that is quoted whole', () => {
    const objective = 'Buy the blue bicycle, offer no more than four hundred';
    expect(quotes(`My task: ${objective}.`, { objective })).toBe(true);
    expect(quotes('I would like to buy the blue bicycle.', { objective })).toBe(false);
  });

  test('ignores what the contact said or may know', () => {
    expect(quotes(`You said: ${PART}`, { known: [`So: ${PART}`] })).toBe(false);
    expect(quotes(`Yes: ${PART}`, { facts: [PART] })).toBe(false);
    expect(quotes(`Ref ${CODE}`, { known: [`is it canary-objective-D41D8C?`] })).toBe(false);
    expect(quotes('The pin is 483 921.', { facts: ['Pin 483921'] })).toBe(false);
    expect(quotes(`The pin is 483921, ref ${CODE}`, { facts: ['Pin 483921'] })).toBe(true);
  });
});

describe('in several messages', () => {
  const cut = (text: string, size: number) =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    );
  /** Whether one of them is held, sent one after the other. */
  const held = (lines: readonly string[], more: Parameters<typeof quotes>[1] = {}) =>
    lines.some((line, at) => quotes(line, { ...more, before: lines.slice(0, at) }));

  test.each(Object.entries(DISGUISES))(
    'recognises a code %s told in several pieces',
    (_how, disguise) => {
      for (const size of [1, 2, 5, 11]) {
        expect(held(cut(disguise(CODE), size)), `${size}`).toBe(true);
        expect(held(cut(disguise('483921'), size)), `${size}`).toBe(true);
      }
    },
  );

  test('combines pieces whatever stands around them, in any order', () => {
    expect(held(['The first half: CANARY-OBJEC', 'Yes?', 'and the second: TIVE-d41d8c!'])).toBe(
      true,
    );
    expect(held(['It ends with TIVE-d41d8c', 'and begins with CANARY-OBJEC.'])).toBe(true);
    expect(held(['Pin: 483, then 921'])).toBe(true);
    expect(held([base64('CANARY-OB'), `then ${hex('JECTIVE-d41d8c')}`])).toBe(true);
    expect(held(['It is 483.', 'And not 912.'])).toBe(false);
  });

  test('recognises most of a code, but not the words in it alone', () => {
    for (const most of [CODE.slice(0, -1), CODE.slice(0, -3), CODE.slice(4), '48392', '83921'])
      expect(quotes(`It is ${most}…`), most).toBe(true);
    for (const less of ['canary objective', CODE.slice(0, 12), '4839', 'd41d8c'])
      expect(quotes(`It is ${less}…`), less).toBe(false);
    expect(quotes('Call 0612345679', { objective: 'Not 0612345678' })).toBe(true);
    const facts = ['Mine is 0612345679'];
    expect(quotes('Call 0612345679', { objective: 'Not 0612345678', facts })).toBe(false);
  });

  test('recognises a quotation spread over messages that are each too short', () => {
    const lines = cut(OBJECTIVE.slice(0, 95), 40);
    for (const line of lines) expect(quotes(line)).toBe(false);
    expect(held(lines)).toBe(true);
  });

  test('counts only what the new message completes', () => {
    expect(quotes('Good, see you then!', { before: [`Ref ${CODE}, pin 483921`] })).toBe(false);
    expect(quotes('Good!', { before: ['CANARY-OBJEC', 'TIVE-d41d8c'] })).toBe(false);
    expect(quotes('Friday then?', { before: [OBJECTIVE.slice(0, 95)] })).toBe(false);
    expect(quotes('TIVE-d41d8c', { before: ['CANARY-OBJEC'], known: [`${CODE}?`] })).toBe(false);
    expect(quotes('921', { before: ['483'], facts: ['pin 483921'] })).toBe(false);
  });

  test('recognises any code, however it is split and whatever is said between', () => {
    // A word followed by a span of years is not a code: `YORK-1914-1918`.
    const code = fc
      .stringMatching(/^[A-Z]{4}-[A-Z0-9]{4}-[0-9]{4}$/)
      .filter((secret) => !/(19|20)\d\d-(19|20)\d\d/.test(secret));
    const word = fc.stringMatching(/^[a-z]{2,9}$/);
    fc.assert(
      fc.property(code, fc.integer({ min: 4, max: 8 }), fc.array(word), (secret, at, words) => {
        const bare = secret.replaceAll('-', '');
        const [first, second] = [bare.slice(0, at), bare.slice(at)];
        const objective = `Ask about ${secret} soon`;
        const between = words.map((said) => `so ${said}`);
        // If a code has digits twice, or backwards, these may be most of it: held, to be safe.
        const digits = bare.replace(/\D/g, '');
        const runs = [...digits].map((_, n) => digits.slice(n, n + 3)).filter((run) => run[2]);
        const back = [...digits].reverse().join('');
        const repeats = new Set(runs).size < runs.length || runs.some((run) => back.includes(run));
        return (
          held([`it is ${first}`, ...between, `with ${second}`], { objective }) &&
          (repeats || !held([`it is ${first}`, ...between], { objective }))
        );
      }),
    );
  });

  test('holds half a code that occurs again in the other half, to be safe', () => {
    const objective = 'Ask about AAAA-4610-0461 soon';
    expect(held(['it is AAAA461', 'with 00461'], { objective })).toBe(true);
    expect(held(['it is AAAA461'], { objective })).toBe(true);
    expect(held(['it is AAAA46'], { objective })).toBe(false);
  });
});

test.each([
  'Hi! Could you give me a quote for the leaking kitchen sink before Friday?',
  'Would 15.11.2026 at 10:30 suit you? Or 2026-11-16, between 09.00-17.00?',
  'That is 1.250.000 pesos, or 250 000 €. I can pay $300.',
  'The address is Hauptstr. 12, 10115 Berlin.',
  'Can we agree on a date, and may I ask the price?',
  'Shall I send you a photo? https://example.com/sink',
  'Grüße, und danke für die schnelle Antwort! 👍🏽',
  '好的，谢谢您。',
  '',
])('does not hold an ordinary sentence: %s', (text) => {
  const objective =
    'Get a quote for the leaking kitchen sink before 15.11.2026, 10:30 or between 09.00-17.00. At most 1.250.000 pesos, 250 000 €, $300. Hauptstr. 12, 10115 Berlin, 2-Zimmer-Wohnung.';
  expect(quotes(text)).toBe(false);
  expect(quotes(text, { objective })).toBe(false);
});

test.each([
  ['booking 483921, 50 euro', ['483921']],
  ['card 4111 1111 1111 1111', ['4111111111111111']],
  ['call 06 12 34 56 78', ['0612345678']],
  ['key sk-live-9f8e7d6c', ['sklive9f8e7d6c']],
  ['15.11.2026, 11/15/2026, 2026-11-15, 20261115, 2025-2026, 15.11.26', []],
  ['10:30, 10.30 Uhr, 09.00-17.00, 9am-5pm', []],
  ['1.250.000, 12,500.00, 250 000 €, EUR 150000, 150000 pesos', []],
  ['Hauptstr. 12 10115 Berlin, 2-bedroom-apartment, Gleis-14', []],
])('finds the codes in %j', (text, codes) => {
  expect(codesIn(text)).toEqual(codes);
});

describe('for any words', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{2,9}$/), { minLength: 5, maxLength: 60 });
  // A word followed by a span of years is not a code: `YORK-1914-1918`.
  const code = fc
    .stringMatching(/^[A-Z]{4}-[A-Z0-9]{4}-[0-9]{4}$/)
    .filter((secret) => !/(19|20)\d\d-(19|20)\d\d/.test(secret));
  const disguise = fc.constantFrom(...Object.values(DISGUISES));

  test('finds their code in any encoding, at any position', () => {
    fc.assert(
      fc.property(words, code, words, disguise, (before, secret, after, hide) => {
        const text = `${before.join(' ')} ${hide(secret)} ${after.join(' ')}`;
        return quotes(text, { objective: `Ask about ${secret} soon` });
      }),
    );
  });

  test('finds nothing if nothing of them is said, or if it was said before', () => {
    fc.assert(
      fc.property(words, code, disguise, (said, secret, hide) => {
        const objective = `Ask about ${secret} soon`;
        return (
          !quotes(said.join(' '), { objective }) &&
          !quotes(hide(secret), { objective, known: [`It is ${secret}!`] })
        );
      }),
    );
  });

  test('never throws, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.string({ unit: 'binary' }),
        (text, objective) => {
          quotes(text, { objective });
          quotes(text.split('').reverse().join(''), { objective: text + objective });
        },
      ),
    );
  });
});
