// What the assistant wrote, as React nodes made of the little markdown it may use. Never HTML, never a link of its own.
import { useMemo } from 'react';
import classes from './assistant.module.css';
import { type Block, type Line, readMarkdown, type Span } from './markdown.ts';

export function Said({ text }: { readonly text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return (
    <div className={classes.said}>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was said keeps its place, more comes after it
        <Shown key={index} block={block} />
      ))}
    </div>
  );
}

function Shown({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      return (
        <p className={classes.saidHeading} dir="auto">
          <Spans line={block.line} />
        </p>
      );
    case 'code':
      return <pre dir="ltr">{block.text}</pre>;
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul';
      return (
        <List>
          {block.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: items keep their places
            <li key={index} dir="auto">
              <Spans line={item} />
            </li>
          ))}
        </List>
      );
    }
    case 'paragraph':
      return (
        <p dir="auto">
          {block.lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines keep their places
            <span key={index}>
              {index > 0 && <br />}
              <Spans line={line} />
            </span>
          ))}
        </p>
      );
  }
}

const Spans = ({ line }: { readonly line: Line }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the spans of a line keep their places
  line.map((span, index) => <OneSpan key={index} span={span} />);

function OneSpan({ span: { kind, text } }: { readonly span: Span }) {
  switch (kind) {
    case 'bold':
      return <b>{text}</b>;
    case 'italic':
      return <em>{text}</em>;
    case 'code':
      return <code>{text}</code>;
    case 'text':
      return text;
  }
}
