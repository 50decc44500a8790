import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MarkdownBlock, readMarkdown, readSpans } from './markdown.ts';

const text = (said: string) => ({ kind: 'text', text: said });

test('paragraphs, lists and code become blocks in order', () => {
  const said =
    'Three things:\n\n- **Mum** asks\n- keys at `18:30`\n1. first\n2) second\n```sh\nls *\n```\nDone.';
  expect(readMarkdown(said)).toEqual([
    { kind: 'paragraph', lines: [[text('Three things:')]] },
    {
      kind: 'list',
      ordered: false,
      items: [
        [{ kind: 'bold', text: 'Mum' }, text(' asks')],
        [text('keys at '), { kind: 'code', text: '18:30' }],
      ],
    },
    { kind: 'list', ordered: true, items: [[text('first')], [text('second')]] },
    { kind: 'code', text: 'ls *' },
    { kind: 'paragraph', lines: [[text('Done.')]] },
  ]);
});

test('two paragraphs stay separate, and a line break within one stays a line break', () => {
  expect(readMarkdown('a\nb\n\n\nc')).toEqual([
    { kind: 'paragraph', lines: [[text('a')], [text('b')]] },
    { kind: 'paragraph', lines: [[text('c')]] },
  ]);
});

test('an unclosed code fence is code to the end', () => {
  expect(readMarkdown('```\nhalf')).toEqual([{ kind: 'code', text: 'half' }]);
});

test.each(['2 * 3 * 4', 'snake_case_name', '**', '* *', '`', 'a ** b ** c'])(
  'reads %s as plain text',
  (line) => expect(readSpans(line)).toEqual([text(line)]),
);

test.each([
  '[click](https://evil.example)',
  '![x](https://evil.example/a.png)',
  '<img src=x onerror=alert(1)>',
  'https://evil.example',
  'javascript:alert(1)',
])('keeps %s as plain text, without a link', (line) => {
  expect(readMarkdown(line)).toEqual([{ kind: 'paragraph', lines: [[text(line)]] }]);
});

test('parsing keeps every character and adds none', () => {
  const letters = (said: string) =>
    said
      .match(/[a-z0-9<>]/g)
      ?.sort()
      .join('') ?? '';
  const wordsOf = (block: MarkdownBlock): string => {
    const lines =
      block.kind === 'list' ? block.items : block.kind === 'paragraph' ? block.lines : [];
    if (block.kind === 'code') return block.text;
    const all = block.kind === 'heading' ? [block.line] : lines;
    return all.flatMap((line) => line.map((span) => span.text)).join('\n');
  };
  const bits = ['**', '*', '_', '`', '```\n', '\n', '\n\n', '- ', '# ', ' ', 'a', '<b>', '(x)'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...bits), { maxLength: 60 }), (parts) => {
      const said = parts.join('').replaceAll('```\n', '\n');
      expect(letters(readMarkdown(said).map(wordsOf).join('\n'))).toBe(letters(said));
    }),
  );
});
