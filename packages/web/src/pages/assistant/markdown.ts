// Parses the subset of Markdown that models write: paragraphs, lists, headings, code; bold, emphasis and code within a
// line. Pure. Links and images are not supported: an address stays text.

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
      // While the fence is still open, the rest is code.
      at = length < 0 ? lines.length : from + length;
      blocks.push({ kind: 'code', text: lines.slice(from, at).join('\n') });
    } else blocks.push(...addLine(blocks, line));
  }
  // A blank line begins a paragraph, and another block may follow instead.
  return blocks.filter((block) => block.kind !== 'paragraph' || block.lines.length > 0);
}

/** Returns the blocks that the line begins; none when it continues the last block, to which it is added. */
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
