import type { DateOrder } from '@relay/contract/api/imports';
import { growth } from '@relay/testing/growth';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chatTitleFromFile, DateOrderFinder, exportLineDay } from './inference.ts';
import { type ExportEntry, ExportReader, readExportLineHead } from './whatsapp-export.ts';

function readAll(text: string): ExportEntry[] {
  const reader = new ExportReader();
  const found = text.split('\n').map((line) => reader.push(line));
  return [...found, reader.end()].filter((reading) => reading !== null);
}

const NOW = Date.UTC(2026, 10, 15);

function orderOf(...dates: string[]): DateOrder | null {
  const finder = new DateOrderFinder(NOW);
  for (const date of dates) {
    const head = readExportLineHead(`${date}, 09:41 - Ana: hi`);
    if (head !== null) finder.add(head);
  }
  return finder.found();
}

describe('the head of a message', () => {
  test.each([
    ['[12/03/2026, 09:41:13] Ana: hi', [12, 3, 2026], '09:41:13'],
    ['[12.03.26, 09:41:13] Ana: hi', [12, 3, 26], '09:41:13'],
    ['\u200e[12/03/2026, 9:41:13\u202fPM] Ana: hi', [12, 3, 2026], '21:41:13'],
    ['12/03/2026, 09:41 - Ana: hi', [12, 3, 2026], '09:41:00'],
    ['3/12/26, 9:41 AM - Ana: hi', [3, 12, 26], '09:41:00'],
    ['3/12/26, 12:05\u202fam - Ana: hi', [3, 12, 26], '00:05:00'],
    ['3/12/26, 12:05 p. m. - Ana: hi', [3, 12, 26], '12:05:00'],
    ['12.03.26, 21:41 - Ana: hi', [12, 3, 26], '21:41:00'],
    ['12-03-2026 21:41 - Ana: hi', [12, 3, 2026], '21:41:00'],
    ['2026-03-12, 21.41 - Ana: hi', [2026, 3, 12], '21:41:00'],
    ['2026/03/12 21:41 - Ana: hi', [2026, 3, 12], '21:41:00'],
    ['[2026/3/12 下午9:41:13] Ana: hi', [2026, 3, 12], '21:41:13'],
    ['2026. 3. 12. 오후 9:41 - Ana: hi', [2026, 3, 12], '21:41:00'],
    ['\u200f١٢/٣/٢٠٢٦، ٩:٤١ م - Ana: hi', [12, 3, 2026], '21:41:00'],
  ])('%s', (line, date, time) => {
    const head = readExportLineHead(line);
    expect(head?.date).toEqual(date);
    expect(new Date((head?.time ?? 0) * 1000).toISOString().slice(11, 19)).toBe(time);
    expect(head?.rest).toBe('Ana: hi');
  });

  test.each([
    'Ana: hi',
    '',
    '12/03/2026 was a good day',
    '[12/03/2026, 09:41:13 Ana: hi',
    '12/03/2026, 25:41 - Ana: hi',
    '12/03/2026, 13:41 PM - Ana: hi',
    '1. 2. 3. go',
    '09:41 - Ana: hi',
  ])('"%s" is not a head', (line) => {
    expect(readExportLineHead(line)).toBeNull();
  });
});

describe('the date order', () => {
  test.each<[DateOrder | null, string[]]>([
    ['dmy', ['13/03/2026']],
    ['mdy', ['03/13/2026']],
    ['ymd', ['2026/03/12']],
    ['dmy', ['12.03.2026']],
    ['dmy', ['12-03-2026']],
    // The second would be a step back if months came first.
    ['dmy', ['12/02/2026', '01/03/2026']],
    ['mdy', ['02/12/2026', '03/01/2026']],
    // In the other order it is in the future.
    ['mdy', ['01/12/2026']],
    [null, ['02/03/2026', '03/04/2026']],
    [null, ['13/13/2026']],
    [null, []],
  ])('is %s for %j', (order, dates) => {
    expect(orderOf(...dates)).toBe(order);
  });

  test('an impossible date is null', () => {
    expect(exportLineDay({ date: [31, 2, 2026] }, 'dmy')).toBeNull();
    expect(exportLineDay({ date: [29, 2, 24] }, 'dmy')).toBe(Date.UTC(2024, 1, 29));
    expect(exportLineDay({ date: [12, 3, 2569] }, 'dmy')).toBe(Date.UTC(2026, 2, 12));
    expect(exportLineDay({ date: [12, 3, 1999] }, 'dmy')).toBeNull();
  });
});

test('a message continues until the next one begins', () => {
  expect(
    readAll(
      [
        '12/03/2026, 09:41 - Messages and calls are end-to-end encrypted.',
        '12/03/2026, 09:41 - Ana María: The list:',
        '- bread',
        '',
        '- 12/03 milk',
        '12/03/2026, 09:42 - Ben: ok',
        '12/03/2026, 09:43 - Ben added Zoe',
        '12/03/2026, 09:43 - Ana changed the subject to "Trip: Goa"',
        '12/03/2026, 09:44 - +49 151 12345678: see https://example.org: nice',
      ].join('\n'),
    ),
  ).toMatchObject([
    { skipped: 'system' },
    { sender: 'Ana María', words: 'The list:\n- bread\n\n- 12/03 milk' },
    { sender: 'Ben', words: 'ok' },
    { skipped: 'system' },
    { skipped: 'system' },
    { sender: '+49 151 12345678', words: 'see https://example.org: nice' },
  ]);
});

test.each([
  ['<Media omitted>', { skipped: 'media' }],
  ['<Medien ausgeschlossen>', { skipped: 'media' }],
  ['<Multimedia omitido>', { skipped: 'media' }],
  ['\u200eimage omitted', { media: 'image', words: '' }],
  ['\u200eBild weggelassen', { media: 'image', words: '' }],
  ['\u200eimagen omitida', { media: 'image', words: '' }],
  ['\u200eimagem ocultada', { media: 'image', words: '' }],
  ['\u200evideo omitted', { media: 'video', words: '' }],
  ['\u200eaudio omitted', { media: 'audio', words: '' }],
  ['\u200esticker omitted', { media: 'sticker', words: '' }],
  ['\u200eGIF omitted', { media: 'video', words: '' }],
  ['Goa! \u200eimage omitted', { media: 'image', words: 'Goa!' }],
  ['\u200e<attached: 00000012-PHOTO-2026-03-12-09-41-13.jpg>', { media: 'image', words: '' }],
  ['\u200e<Anhang: 00000013-AUDIO-2026-03-12.opus>', { media: 'audio', words: '' }],
  ['IMG-20260312-WA0001.jpg (file attached)', { media: 'image', words: '' }],
  ['IMG-20260312-WA0001.jpg (file attached)\nGoa!', { media: 'image', words: 'Goa!' }],
  ['Tickets.pdf (archivo adjunto)', { media: 'document', words: 'Tickets.pdf' }],
  ['This message was deleted', { skipped: 'deleted' }],
  ['\u200eDu hast diese Nachricht gelöscht.', { skipped: 'deleted' }],
  ['\u200eYou changed the group name to Goa', { skipped: 'system' }],
  ['null', { skipped: 'empty' }],
  ['Dinner at 8 \u200e<This message was edited>', { media: null, words: 'Dinner at 8' }],
  ['the image was omitted from the report', { media: null }],
  ['I wrote <Media omitted> as a joke', { media: null }],
])('"%s"', (text, reading) => {
  expect(readAll(`[12/03/2026, 09:41:13] Ana: ${text}`)).toMatchObject([reading]);
});

test.each([
  ['WhatsApp Chat with Ana María.txt', 'Ana María'],
  ['WhatsApp Chat - Holliday 🏖️.zip', 'Holliday 🏖️'],
  ['WhatsApp-Chat mit Ben (2).txt', 'Ben'],
  ['/home/me/Chat de WhatsApp con Mamá.txt', 'Mamá'],
  ['Conversa do WhatsApp com João.txt', 'João'],
  ['_chat.txt', null],
  ['notes.txt', null],
])('%s contains the chat %s', (file, title) => {
  expect(chatTitleFromFile(file)).toBe(title);
});

test('never throws, runs forever or loses a line, whatever the lines are', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom(
      '[',
      ']',
      '12/03/2026',
      ', ',
      '09:41',
      ' - ',
      'Ana: ',
      '\u200e',
      '<',
      '>',
      'omitted',
      ' AM',
    ),
  );
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 8 }), { maxLength: 30 }), (lines) => {
      const text = lines.map((parts) => parts.join('').replaceAll('\n', ' ')).join('\n');
      for (const reading of readAll(text)) {
        if ('skipped' in reading) continue;
        expect(reading.sender).not.toBe('');
        expect(reading.words.isWellFormed()).toBe(true);
        expect(reading.words.length).toBeLessThanOrEqual(65_536);
      }
    }),
  );
});

test('reads back what is written in the formats of phones', () => {
  const words = fc
    .string({ minLength: 1, maxLength: 40 })
    .filter((text) => /^[^\s<][^<>]*$/.test(text) && text !== 'null');
  const said = fc.record({
    at: fc.date({ min: new Date(Date.UTC(2015, 0)), max: new Date(NOW), noInvalidDate: true }),
    name: fc.constantFrom('Ana', 'Ben', 'Ana María'),
    text: words,
  });
  const two = (n: number) => String(n).padStart(2, '0');
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 20 }), fc.boolean(), (all, apple) => {
      const lines = all.map(({ at, name, text }) => {
        const date = `${two(at.getUTCDate())}/${two(at.getUTCMonth() + 1)}/${at.getUTCFullYear()}`;
        const time = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
        return apple
          ? `[${date}, ${time}:00] ${name}: ${text}`
          : `${date}, ${time} - ${name}: ${text}`;
      });
      expect(readAll(lines.join('\n'))).toMatchObject(
        all.map(({ name, text }) => ({ sender: name, words: text.trim() })),
      );
    }),
  );
});

test.each([' ', '<', '\u200e', '\u200e<a', '<a: b.', ': ', '["', '~ '])(
  'a message that repeats %j takes time in proportion to its length',
  (unit) => {
    const line = (length: number) => `01/02/2026, 10:01 - Eve: x${unit.repeat(length)}y`;
    expect(growth((length) => readAll(line(length)), 8 * 1024, 8)).toBeLessThan(12);
  },
);
