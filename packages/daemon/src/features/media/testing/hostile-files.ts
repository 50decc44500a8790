// Makes malformed and hostile files from a seed: what a stranger could send as a PDF, a Word document or a text. The
// same seed gives the same files.
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import type { DocumentKind } from '../documents.ts';

interface HostileFile {
  readonly name: string;
  readonly kind: DocumentKind;
  readonly bytes: Buffer;
}

type Random = () => number;

function seeded(seed: number): Random {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

// PDF

type PdfObject = string | Buffer;

/** A sound file unless the objects are not. `xref: false` leaves the table out, which readers then rebuild. */
function pdfOf(objects: readonly PdfObject[], { xref = true, root = 1 } = {}): Buffer {
  const parts: Buffer[] = [latin('%PDF-1.7\n')];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  const add = (part: Buffer) => {
    parts.push(part);
    at += part.length;
  };
  objects.forEach((object, n) => {
    offsets.push(at);
    add(latin(`${n + 1} 0 obj\n`));
    add(typeof object === 'string' ? latin(object) : object);
    add(latin('\nendobj\n'));
  });
  const start = at;
  if (xref) {
    const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
    add(latin(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`));
  }
  add(latin(`trailer<</Size ${objects.length + 1}/Root ${root} 0 R>>\nstartxref\n${start}\n%%EOF`));
  return Buffer.concat(parts);
}

const pdfStream = (content: Buffer, more = ''): Buffer =>
  Buffer.concat([
    latin(`<</Length ${content.length}${more}>>\nstream\n`),
    content,
    latin('\nendstream'),
  ]);

/** One page with this text, or with this content. */
export function pdfPage(content: string | Buffer): Buffer {
  const shown =
    typeof content === 'string'
      ? pdfStream(latin(`BT /F1 12 Tf 20 700 Td (${content}) Tj ET`))
      : content;
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    shown,
  ]);
}

const flate = (content: Buffer, times = 1): Buffer => {
  let packed = content;
  for (let n = 0; n < times; n += 1) packed = deflateSync(packed, { level: 9 });
  const filters = Array.from({ length: times }, () => '/FlateDecode').join('');
  return pdfStream(packed, `/Filter[${filters}]`);
};

// ZIP

interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
  /** What the headers claim. */
  readonly claims?: { readonly size?: number; readonly packed?: number; readonly crc?: number };
  readonly stored?: boolean;
}

export function zipOf(
  entries: readonly ZipEntry[],
  { offsetError = 0, count = entries.length } = {},
): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const { name, content, claims = {}, stored = false } of entries) {
    const packed = stored ? content : deflateRawSync(content, { level: 9 });
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(stored ? 0 : 8, 4);
    head.writeUInt32LE(claims.crc ?? crc32(content), 10);
    head.writeUInt32LE(claims.packed ?? packed.length, 14);
    head.writeUInt32LE(claims.size ?? content.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([latin('PK\u0003\u0004'), head, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(Math.max(0, at + offsetError), 10);
    central.push(
      Buffer.concat([
        latin('PK\u0001\u0002'),
        Buffer.from([20, 0]),
        head,
        tail.subarray(0, 14),
        Buffer.from(name),
      ]),
    );
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(count & 0xffff, 4);
  end.writeUInt16LE(count & 0xffff, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, directory, latin('PK\u0005\u0006'), end]);
}

const XML_HEAD =
  '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>';

export const docxXml = (paragraphs: string): Buffer =>
  Buffer.from(`${XML_HEAD}${paragraphs}</w:body></w:document>`);

export const docxOf = (text: string): Buffer =>
  zipOf([
    { name: '[Content_Types].xml', content: Buffer.from('<Types/>') },
    { name: 'word/document.xml', content: docxXml(`<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`) },
  ]);

const MEGABYTE = 1024 ** 2;

/** Each makes one kind of attack; `random` varies it. */
const ATTACKS: readonly {
  readonly name: string;
  readonly kind: DocumentKind;
  make(random: Random): Buffer;
}[] = [
  {
    name: 'pdf cut off',
    kind: 'pdf',
    make: (random) => {
      const whole = pdfPage('Flight 15:40');
      return whole.subarray(0, Math.floor(random() * whole.length));
    },
  },
  {
    name: 'pdf with changed bytes',
    kind: 'pdf',
    make: (random) => {
      const bytes = Buffer.from(pdfPage('Flight 15:40'));
      for (let n = 0; n < 40; n += 1) {
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      }
      return bytes;
    },
  },
  {
    name: 'pdf with wrong lengths',
    kind: 'pdf',
    make: (random) =>
      Buffer.from(
        pdfPage('Flight 15:40')
          .toString('latin1')
          .replace(/\/Length \d+/, `/Length ${Math.floor(random() * 2 ** 31)}`),
        'latin1',
      ),
  },
  {
    name: 'pdf with thousands of objects',
    kind: 'pdf',
    make: (random) => {
      const many = 5_000 + Math.floor(random() * 45_000);
      const rest = Array.from(
        { length: many },
        (_, n) => `<</N ${n}/Next ${((n + 1) % many) + 3} 0 R>>`,
      );
      return pdfOf([
        '<</Type/Catalog/Pages 2 0 R>>',
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        ...rest,
      ]);
    },
  },
  {
    name: 'pdf with thousands of pages',
    kind: 'pdf',
    make: (random) => {
      const pages = 1_000 + Math.floor(random() * 20_000);
      const kids = Array.from({ length: pages }, () => '3 0 R').join(' ');
      return pdfOf([
        '<</Type/Catalog/Pages 2 0 R>>',
        `<</Type/Pages/Kids[${kids}]/Count ${pages}>>`,
        '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>',
      ]);
    },
  },
  {
    name: 'pdf whose pages contain each other',
    kind: 'pdf',
    make: (random) =>
      pdfOf([
        '<</Type/Catalog/Pages 2 0 R>>',
        `<</Type/Pages/Kids[3 0 R 2 0 R]/Count ${Math.floor(random() * 1e9)}>>`,
        '<</Type/Pages/Kids[2 0 R]/Count 5/Parent 2 0 R>>',
      ]),
  },
  {
    name: 'pdf with a stream that unpacks to much',
    kind: 'pdf',
    make: (random) => {
      const size = (50 + Math.floor(random() * 250)) * MEGABYTE;
      return pdfPage(flate(Buffer.alloc(size, 32), 1 + Math.floor(random() * 2)));
    },
  },
  {
    name: 'pdf with much text in a small stream',
    kind: 'pdf',
    make: (random) => {
      const times = 10_000 + Math.floor(random() * 200_000);
      return pdfPage(flate(latin(`BT /F1 1 Tf ${'(spam and more spam) Tj '.repeat(times)} ET`)));
    },
  },
  {
    name: 'pdf with deep nesting',
    kind: 'pdf',
    make: (random) => {
      const depth = 1_000 + Math.floor(random() * 200_000);
      return pdfPage(
        pdfStream(latin(`${'['.repeat(depth)}${']'.repeat(depth)} TJ ${'q '.repeat(depth)}`)),
      );
    },
  },
  {
    name: 'pdf that runs script',
    kind: 'pdf',
    make: () =>
      pdfOf([
        '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\);while\\(true\\){})>>>>',
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/AA<</O<</S/Launch/F(/bin/sh)>>>>>>',
      ]),
  },
  {
    name: 'pdf with an endless function',
    kind: 'pdf',
    make: (random) => {
      const body = '{ 1 1 add '.repeat(1 + Math.floor(random() * 5_000));
      return pdfOf([
        '<</Type/Catalog/Pages 2 0 R>>',
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</Font<</F1 4 0 R>>>>/Contents 6 0 R>>',
        '<</Type/Font/Subtype/Type0/BaseFont/X/Encoding 5 0 R/DescendantFonts[4 0 R]/ToUnicode 5 0 R>>',
        pdfStream(
          latin(`begincmap 1 beginbfrange <0000> <ffff> <0000> endbfrange ${body} endcmap`),
        ),
        pdfStream(latin('BT /F1 9 Tf <00010002> Tj ET')),
      ]);
    },
  },
  {
    name: 'pdf and zip at once',
    kind: 'pdf',
    make: () => Buffer.concat([pdfPage('Flight 15:40'), docxOf('another text')]),
  },
  {
    name: 'docx that unpacks to much',
    kind: 'docx',
    make: (random) =>
      zipOf([
        {
          name: 'word/document.xml',
          content: docxXml(
            `<w:p><w:r><w:t>${' '.repeat((80 + Math.floor(random() * 150)) * MEGABYTE)}`,
          ),
        },
      ]),
  },
  {
    name: 'docx that claims to be small',
    kind: 'docx',
    make: (random) =>
      zipOf([
        {
          name: 'word/document.xml',
          content: docxXml('<w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(100_000)),
          claims: { size: Math.floor(random() * 1_000) },
        },
      ]),
  },
  {
    name: 'docx with entities that grow',
    kind: 'docx',
    make: () => {
      const levels = Array.from(
        { length: 9 },
        (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`,
      );
      const xml = `<?xml version="1.0"?><!DOCTYPE w [<!ENTITY e0 "ha">${levels.join('')}<!ENTITY file SYSTEM "file:///etc/passwd">]><w:document><w:p><w:r><w:t>&e9;&file;</w:t></w:r></w:p></w:document>`;
      return zipOf([{ name: 'word/document.xml', content: Buffer.from(xml) }]);
    },
  },
  {
    name: 'docx with deep nesting',
    kind: 'docx',
    make: (random) =>
      zipOf([
        {
          name: 'word/document.xml',
          content: docxXml('<w:t>'.repeat(10_000 + Math.floor(random() * 990_000))),
        },
      ]),
  },
  {
    name: 'docx with thousands of entries',
    kind: 'docx',
    make: (random) => {
      const many = 5_000 + Math.floor(random() * 25_000);
      const empty = Buffer.alloc(0);
      return zipOf(
        Array.from({ length: many }, (_, n) => ({
          name: `word/${n}.xml`,
          content: empty,
          stored: true,
        })),
      );
    },
  },
  {
    name: 'docx with names that leave the folder',
    kind: 'docx',
    make: () =>
      zipOf([
        { name: '../../../../etc/cron.d/x', content: Buffer.from('x') },
        { name: 'word/document.xml', content: docxXml('<w:p><w:r><w:t>x</w:t></w:r></w:p>') },
      ]),
  },
  {
    name: 'docx with a broken directory',
    kind: 'docx',
    make: (random) =>
      zipOf([{ name: 'word/document.xml', content: docxXml('<w:t>x</w:t>') }], {
        offsetError: Math.floor(random() * 10_000) - 5_000,
        count: Math.floor(random() * 70_000),
      }),
  },
  {
    name: 'docx with changed bytes',
    kind: 'docx',
    make: (random) => {
      const bytes = Buffer.from(docxOf('Flight 15:40'));
      for (let n = 0; n < 20; n += 1) {
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      }
      return bytes;
    },
  },
  {
    name: 'docx in docx in docx',
    kind: 'docx',
    make: () => {
      let inner = docxOf('the innermost');
      for (let n = 0; n < 20; n += 1)
        inner = zipOf([{ name: 'word/document.xml', content: inner }]);
      return inner;
    },
  },
  {
    name: 'svg with script as a text',
    kind: 'text',
    make: () =>
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>fetch("http://127.0.0.1")</script></svg>',
      ),
  },
  {
    name: 'text of random bytes',
    kind: 'text',
    make: (random) =>
      Buffer.from(
        Array.from({ length: 1 + Math.floor(random() * 100_000) }, () =>
          Math.floor(random() * 256),
        ),
      ),
  },
  {
    name: 'text of one endless line',
    kind: 'text',
    make: (random) => Buffer.alloc((1 + Math.floor(random() * 60)) * MEGABYTE, 'a'),
  },
  {
    name: 'text with half a character',
    kind: 'text',
    make: (random) => {
      const half = Array.from({ length: 1_000 }, () => 0xd800 + Math.floor(random() * 0x800));
      const bytes = Buffer.alloc(2 + half.length * 2);
      bytes.writeUInt16LE(0xfeff, 0);
      for (const [n, unit] of half.entries()) bytes.writeUInt16LE(unit, 2 + n * 2);
      return bytes;
    },
  },
  {
    name: 'text that is too large',
    kind: 'text',
    make: () => Buffer.alloc(70 * MEGABYTE, 'b'),
  },
  { name: 'nothing', kind: 'pdf', make: () => Buffer.alloc(0) },
  {
    name: 'random bytes as a pdf',
    kind: 'pdf',
    make: (random) =>
      Buffer.concat([
        latin('%PDF-1.7\n'),
        Buffer.from(Array.from({ length: 20_000 }, () => Math.floor(random() * 256))),
      ]),
  },
];

/** One after the other, because some are large. */
export function* hostileFiles(
  count: number,
  seed = 1,
  isWanted: (name: string) => boolean = () => true,
): Generator<HostileFile> {
  for (let n = 0; n < count; n += 1) {
    const attack = ATTACKS[n % ATTACKS.length];
    if (attack === undefined) return;
    const { name, kind, make } = attack;
    if (isWanted(name)) yield { name: `${name} ${n}`, kind, bytes: make(seeded(seed + n * 7919)) };
  }
}
