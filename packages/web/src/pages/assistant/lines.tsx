// What was said: the owner's words in a bubble, the answer with the steps before it and the sources after it.

import type { AssistantLine } from '@relay/core/api/assistant';
import { visible } from '@relay/core/messages/visible';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { moment } from '../../parts/times.ts';
import { ApprovalCard } from './approval-card.tsx';
import classes from './assistant.module.css';
import { Said } from './said.tsx';
import { Step } from './step.tsx';
import { tellsSources } from './steps.ts';
import type { Part, Turn } from './turn.ts';

interface QuestionProps {
  readonly text: string;
  readonly at: string | number;
  readonly now: number;
}

export const Question = ({ text, at, now }: QuestionProps) => (
  <article className={classes.question} aria-label="You">
    <p dir="auto">{visible(text)}</p>
    <time className="dim" dateTime={new Date(at).toISOString()}>
      {moment(at, now)}
    </time>
  </article>
);

interface KeptProps {
  readonly line: AssistantLine;
  /** The answer before it. */
  readonly before: AssistantLine | undefined;
  readonly now: number;
}

export function Kept({ line, before, now }: KeptProps) {
  if (line.role === 'user') return <Question text={line.content} at={line.at} now={now} />;
  return (
    <article className={classes.answer} aria-label="Your assistant">
      {line.steps.length > 0 && (
        <ul className={classes.steps}>
          {line.steps.map((step) => (
            <Step key={step.id} name={step.name} given={step.arguments} result={step.result} />
          ))}
        </ul>
      )}
      <Said text={line.content} />
      {tellsSources(line, before) && <Sources line={line} />}
    </article>
  );
}

/** Whose words are in it, each a way to where they stand. */
function Sources({ line: { sources, outside } }: { readonly line: AssistantLine }) {
  if (sources.length === 0 && !outside) return null;
  return (
    <p className={classes.sources}>
      Made with{' '}
      {sources.map(({ chat_id: id, name }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <Link to="/chats/$id" params={{ id }}>
            <bdi>{name}</bdi>
          </Link>
        </Fragment>
      ))}
      {outside && `${sources.length > 0 ? ' and ' : ''}the web`}
    </p>
  );
}

/** The turn that runs, as it comes. */
export function Running({ turn, now }: { readonly turn: Turn; readonly now: number }) {
  const { parts, ending } = turn;
  const isThinking = ending === null && parts.at(-1)?.kind !== 'text';
  return (
    <>
      <Question text={turn.question} at={turn.at} now={now} />
      <article className={classes.answer} aria-label="Your assistant" aria-busy={ending === null}>
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts keep their places while more of them come
          <OnePart key={index} part={part} />
        ))}
        {isThinking && <p className={classes.thinking}>{thinkingWords(parts)}</p>}
      </article>
    </>
  );
}

function OnePart({ part }: { readonly part: Part }) {
  switch (part.kind) {
    case 'text':
      return <Said text={part.text} />;
    case 'step':
      return (
        <ul className={classes.steps}>
          <Step name={part.name} given={part.given} result={part.result} />
        </ul>
      );
    case 'approval':
      return <ApprovalCard approval={part.approval} />;
  }
}

const thinkingWords = (parts: readonly Part[]): string =>
  parts.at(-1)?.kind === 'approval' ? 'Waiting for your answer …' : 'Thinking …';
