// One line of a transcript. What others wrote is a plain text node, whatever it looks like.
import { visible } from '@relay/core/messages/visible';
import { IconInfoCircle } from '@tabler/icons-react';
import { memo } from 'react';
import { timeOfDay } from '../times.ts';
import { DELIVERY } from './delivery.ts';
import type { Line } from './line.ts';
import classes from './transcript.module.css';
import { whyAddress } from './why.ts';

interface BubbleProps {
  readonly line: Line;
  readonly chat: string | undefined;
  readonly isMeant: boolean;
}

export const Bubble = memo(function Bubble({ line, chat, isMeant }: BubbleProps) {
  if (line.from === 'system') {
    return (
      <li className={classes.system} data-key={line.key}>
        <IconInfoCircle size={14} aria-hidden />
        <span dir="auto">{visible(line.text)}</span>
        <time dateTime={line.at}>{timeOfDay(line.at)}</time>
      </li>
    );
  }
  const { by, label, text, quoted, why } = line;
  return (
    <li className={classes.message} data-from={line.from} data-key={line.key}>
      <div className={classes.bubble} data-meant={isMeant || undefined}>
        {by !== null && (
          <span className={classes.by} dir="auto">
            {by}
          </span>
        )}
        {quoted !== null && (
          <blockquote>
            <b dir="auto">{quoted.by}</b>{' '}
            <span dir="auto">{visible(quoted.text) || quoted.label}</span>
          </blockquote>
        )}
        {label !== null && <span className={classes.label}>{label}</span>}
        {text !== '' && <p dir="auto">{visible(text)}</p>}
        <span className={classes.meta}>
          {why !== null && (
            <a className={classes.why} href={whyAddress(why, chat)}>
              Why?
            </a>
          )}
          {line.marks.map((mark) => (
            <span key={mark}>{mark}</span>
          ))}
          <time dateTime={line.at}>{timeOfDay(line.at)}</time>
          <Delivery line={line} />
        </span>
      </div>
    </li>
  );
});

function Delivery({ line: { delivery } }: { readonly line: Line }) {
  if (delivery === null) return null;
  const { word, icon: Icon, hue } = DELIVERY[delivery];
  return (
    <span className={classes.delivery} data-hue={hue}>
      <Icon size={15} stroke={2} aria-hidden />
      {word}
    </span>
  );
}
