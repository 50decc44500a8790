// The little of markdown that a model writes, read into blocks: paragraphs, lists, headings, code; bold, emphasis and
// code within a line. Pure. There are no links and no pictures: an address stays the text that it is.

export interface MarkdownSpan {
  readonly kind: 'text' | 'bold' | 'italic' | 'code';
  readonly text: string;
}

export type MarkdownLine = readonly MarkdownSpan[];

export type MarkdownBlock =
  | { readonly kind: 'paragraph'; readonly lines: readonly MarkdownLine[] }
  | { readonly kind: 'heading'; readonly line: MarkdownLine }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly MarkdownLine[] }
  | { readonly kind: 'code'; readonly text: string };

const FENCE = /^\s*```/;
const BULLET = /^\s{0,6}[-*•]\s+(.*)$/;
const NUMBER = /^\s{0,6}\d{1,3}[.)]\s+(.*)$/;
const HEADING = /^#{1,6}\s+(.*)$/;
const SPANS =
  /`([^`\n]+)`|\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])[*_](?=\S)([^*_\n]+?)(?<=\S)[*_](?![\w*])/g;

export function readMarkdown(text: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (FENCE.test(line)) {
      const from = at + 1;
      const length = lines.slice(from).findIndex((each) => FENCE.test(each));
      // While it is still being written the rest of it is code.
      at = length < 0 ? lines.length : from + length;
      blocks.push({ kind: 'code', text: lines.slice(from, at).join('\n') });
    } else blocks.push(...addLine(blocks, line));
  }
  // A blank line begins a paragraph, and something else may come instead.
  return blocks.filter((block) => block.kind !== 'paragraph' || block.lines.length > 0);
}

/** What the line begins; nothing when it goes on with the block before, which it is put into. */
function addLine(blocks: MarkdownBlock[], line: string): MarkdownBlock[] {
  const last = blocks.at(-1);
  const [, heading] = HEADING.exec(line) ?? [];
  if (heading !== undefined) return [{ kind: 'heading', line: readSpans(heading) }];
  const [, bullet] = BULLET.exec(line) ?? [];
  const [, number] = NUMBER.exec(line) ?? [];
  const item = bullet ?? number;
  if (item !== undefined) {
    const ordered = bullet === undefined;
    const goesOn = last?.kind === 'list' && last.ordered === ordered;
    const items = [...(goesOn ? last.items : []), readSpans(item)];
    if (goesOn) blocks.pop();
    return [{ kind: 'list', ordered, items }];
  }
  if (line.trim() === '')
    return last?.kind === 'paragraph' ? [{ kind: 'paragraph', lines: [] }] : [];
  const goesOn = last?.kind === 'paragraph';
  if (goesOn) blocks.pop();
  return [{ kind: 'paragraph', lines: [...(goesOn ? last.lines : []), readSpans(line)] }];
}

export function readSpans(line: string): MarkdownLine {
  const spans: MarkdownSpan[] = [];
  let at = 0;
  for (const match of line.matchAll(SPANS)) {
    if (match.index > at) spans.push({ kind: 'text', text: line.slice(at, match.index) });
    const [whole, code, bold, italic] = match;
    if (code !== undefined) spans.push({ kind: 'code', text: code });
    else if (bold !== undefined) spans.push({ kind: 'bold', text: bold });
    else spans.push({ kind: 'italic', text: italic ?? '' });
    at = match.index + whole.length;
  }
  if (at < line.length) spans.push({ kind: 'text', text: line.slice(at) });
  return spans;
}
