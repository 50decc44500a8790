import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';
import { runContained } from './contained-process.ts';
import { type DocumentKind, documentKindOf, readDocument } from './documents.ts';
import { docxOf, docxXml, hostileFiles, pdfPage, zipOf } from './testing/hostile-files.ts';

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) {
    yield bytes.subarray(at, at + 65_536);
    await turn();
  }
}

const read = (kind: DocumentKind, bytes: Buffer) => readDocument(kind, inPieces(bytes));

describe('reading a document', () => {
  test('reads the text of PDF, Word, text and CSV files', async () => {
    verifies('MEDIA-DOCUMENTS');
    expect(await read('pdf', pdfPage('Flight 15:40'))).toEqual({
      text: 'Flight 15:40',
      isCut: false,
    });
    expect(await read('docx', docxOf('Flight &amp; hotel'))).toEqual({
      text: 'Flight & hotel',
      isCut: false,
    });
    const csv = Buffer.from('name,amount\r\nZoë,12\r\n');
    expect(await read('text', csv)).toEqual({ text: 'name,amount\nZoë,12', isCut: false });
    expect(await read('text', Buffer.from('Zo\xeb', 'latin1'))).toMatchObject({ text: 'Zoë' });
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Zoë', 'utf16le')]);
    expect(await read('text', utf16)).toMatchObject({ text: 'Zoë' });
  });

  test('keeps paragraphs, tabs and table cells of a Word document apart', async () => {
    const xml = docxXml(
      '<w:p><w:r><w:t>One</w:t><w:tab/><w:t>two</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
    );
    const bytes = zipOf([{ name: 'word/document.xml', content: xml }]);
    expect(await read('docx', bytes)).toMatchObject({ text: 'One\ttwo\na' });
  });

  test('keeps the beginning of a long document and says that it is cut', async () => {
    const long = await read('text', Buffer.from('word '.repeat(100_000)));
    expect(long).toMatchObject({ isCut: true });
    expect('text' in long && long.text.length).toBeLessThanOrEqual(200_000);
  });

  test('says why a document cannot be read', async () => {
    expect(await read('pdf', Buffer.from('no pdf'))).toEqual({ problem: 'unreadable' });
    expect(await read('docx', pdfPage('x'))).toEqual({ problem: 'unreadable' });
    expect(await read('text', Buffer.alloc(100))).toEqual({ problem: 'unreadable' });
  });

  test.each([
    ['application/pdf', 'a', 'pdf'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', null, 'docx'],
    ['application/zip', 'letter.docx', 'docx'],
    ['text/csv; charset=utf-8', null, 'text'],
    ['application/octet-stream', 'notes.txt', 'text'],
    ['image/svg+xml', 'x.txt', null],
    ['text/html', 'x.txt', null],
    ['application/zip', 'x.zip', null],
  ])('takes %s named %s for %s', (type, name, kind) => {
    expect(documentKindOf(type, name)).toBe(kind);
  });
});

describe('the process that reads documents', () => {
  const probe = new URL('./testing/probe-child.ts', import.meta.url);
  const limits = {
    heapMb: 64,
    addressSpaceMb: 2_048,
    seconds: 5,
    inputBytes: 1e6,
    outputBytes: 1e6,
  };
  test('has no environment, files, other programs or network', async () => {
    verifies('MEDIA-DOCUMENTS-CONTAINED');
    const result = await runContained(
      { module: probe, args: [], limits },
      inPieces(Buffer.from('x')),
    );
    expect(result).toEqual({
      answer: {
        environment: [],
        read: 'ERR_ACCESS_DENIED',
        write: 'ERR_ACCESS_DENIED',
        program: 'ERR_ACCESS_DENIED',
        worker: 'ERR_ACCESS_DENIED',
        network: 'refused',
      },
    });
  });

  test.each([
    ['loop', 'too_slow'],
    ['heap', 'crashed'],
    ['buffers', 'crashed'],
    ['output', 'too_much_output'],
    ['exit', 'crashed'],
  ])('is ended when it is hostile: %s', async (how, end) => {
    verifies('MEDIA-DOCUMENTS-CONTAINED');
    const strict = { ...limits, seconds: how === 'loop' ? 1 : 60 };

    expect(
      await runContained(
        { module: probe, args: [how], limits: strict },
        inPieces(Buffer.from('x')),
      ),
    ).toEqual({
      end,
    });
  });

  test('is ended when the caller stops, and when the input is too large', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    const looping = runContained(
      { module: probe, args: ['loop'], limits },
      inPieces(Buffer.from('x')),
      stop.signal,
    );
    expect(await looping).toEqual({ end: 'stopped' });
    expect(
      await runContained({ module: probe, args: [], limits }, inPieces(Buffer.alloc(2e6))),
    ).toEqual({
      end: 'too_large',
    });
  });

  test('survives hostile files without blocking the daemon', async () => {
    verifies('MEDIA-DOCUMENTS-HOSTILE');
    const delay = monitorEventLoopDelay({ resolution: 10 });
    const quick = [
      'pdf cut',
      'pdf with wrong',
      'pdf whose',
      'docx that claims',
      'docx with ent',
      'svg',
    ];
    const files = [...hostileFiles(28, 1, (name) => quick.some((some) => name.startsWith(some)))];
    expect(files).toHaveLength(quick.length);
    delay.enable();
    await Promise.all([0, 1].map((lane) => readAll(files.filter((_, n) => n % 2 === lane))));
    delay.disable();
    expect(delay.percentile(99) / 1e6).toBeLessThan(200);
  });
});

async function readAll(files: readonly { kind: DocumentKind; bytes: Buffer }[]) {
  const results = [];
  for (const { kind, bytes } of files) results.push(await read(kind, bytes));
  return results;
}
