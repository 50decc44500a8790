// The messages: the owner's in a bubble, the answer with its steps above and its sources below.

import { Button } from '@mantine/core';
import type { Approval, ApprovalState } from '@relay/contract/api/approvals';
import type { AssistantLine } from '@relay/contract/api/assistant';
import { revealHidden } from '@relay/core/messages/text';
import {
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconLock,
  IconPlayerStop,
  IconRefresh,
  IconX,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { contactNamesQuery, pendingApprovalsQuery } from '../../data/queries.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { formatLocale, t } from '../../i18n.ts';
import { approvalCopy, approvalReason } from '../../parts/approval-copy.ts';
import { formatContact, formatMoment } from '../../parts/format.ts';
import { Tile } from '../../parts/marks.tsx';
import { Note, Sentence } from '../../parts/page.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { SendRisks } from '../../parts/send-risks.tsx';
import classes from './assistant.module.css';
import {
  type ContactNamer,
  createContactNamer,
  describeToolCall,
  readToolOutcome,
  showsSources,
  toolIcon,
} from './copy.ts';
import {
  type MarkdownBlock,
  type MarkdownLine,
  type MarkdownSpan,
  readMarkdown,
} from './markdown.ts';
import { type AssistantTurn, isOwnerAsked, type TurnEnding, type TurnPart } from './turn.ts';

interface AssistantQuestionProps {
  readonly text: string;
  readonly at: string | number;
  readonly now: number;
}

const AssistantQuestion = ({ text, at, now }: AssistantQuestionProps) => (
  <article className={classes.question} aria-label={t('common.you')}>
    <p dir="auto">{revealHidden(text)}</p>
    <time className="dim" dateTime={new Date(at).toISOString()}>
      {formatMoment(at, now)}
    </time>
  </article>
);

interface HistoryLineProps {
  readonly line: AssistantLine;
  /** The answer before it. */
  readonly before: AssistantLine | undefined;
  readonly now: number;
}

export function HistoryLine({ line, before, now }: HistoryLineProps) {
  if (line.role === 'user') return <AssistantQuestion text={line.content} at={line.at} now={now} />;
  return (
    <article className={classes.answer} aria-label={t('common.page.assistant')}>
      {line.steps.length > 0 && (
        <ul className={classes.steps}>
          {line.steps.map((step) => (
            <ToolCallStep
              key={step.id}
              name={step.name}
              given={step.arguments}
              result={step.result}
              approval={step.approval}
            />
          ))}
        </ul>
      )}
      <MarkdownText text={line.content} />
      {showsSources(line, before) && <Sources line={line} />}
    </article>
  );
}

/** The chats whose messages the answer is based on, each with a link. */
function Sources({ line: { sources, outside } }: { readonly line: AssistantLine }) {
  if (sources.length === 0 && !outside) return null;
  return (
    <p className={classes.sources}>
      <RichText
        id="assistant.sources"
        components={{ list: <SourceList sources={sources} outside={outside} /> }}
      />
    </p>
  );
}

function SourceList({ sources, outside }: Pick<AssistantLine, 'sources' | 'outside'>) {
  const names = [
    ...sources.map(({ name }) => name),
    ...(outside ? [t('assistant.sources.web')] : []),
  ];
  let at = 0;
  return new Intl.ListFormat(formatLocale(), { type: 'conjunction' })
    .formatToParts(names)
    .map(({ type, value }, index) => {
      if (type === 'literal') return value;
      const source = sources[at++];
      return source === undefined ? (
        value
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the sources of an answer keep their places
        <Link key={index} to="/chats/$id" params={{ id: source.chat_id }}>
          <bdi>{value}</bdi>
        </Link>
      );
    });
}

/** The running turn, as it arrives. */
export function RunningTurnView({
  turn,
  now,
}: {
  readonly turn: AssistantTurn;
  readonly now: number;
}) {
  const { parts, ending } = turn;
  const isThinking = ending === null && parts.at(-1)?.kind !== 'text';
  return (
    <>
      <AssistantQuestion text={turn.question} at={turn.at} now={now} />
      <article
        className={classes.answer}
        aria-label={t('common.page.assistant')}
        aria-busy={ending === null}
      >
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts keep their places while more of them come
          <OnePart key={index} part={part} next={parts[index + 1]} />
        ))}
        {isThinking && <p className={classes.thinking}>{thinkingText(parts)}</p>}
      </article>
    </>
  );
}

interface OnePartProps {
  readonly part: TurnPart;
  /** What came after it. */
  readonly next: TurnPart | undefined;
}

function OnePart({ part, next }: OnePartProps) {
  switch (part.kind) {
    case 'text':
      return <MarkdownText text={part.text} />;
    case 'step':
      return (
        <ul className={classes.steps}>
          <ToolCallStep
            name={part.name}
            given={part.given}
            result={part.result}
            approval={next?.kind === 'approval' ? 'pending' : null}
          />
        </ul>
      );
    case 'approval':
      return <ApprovalCard approval={part.approval} />;
  }
}

const thinkingText = (parts: readonly TurnPart[]): string =>
  t(isOwnerAsked(parts) ? 'assistant.progress.waiting' : 'assistant.progress.thinking');

// The assistant's text as React nodes from a subset of Markdown. Never HTML, never a link.

function MarkdownText({ text }: { readonly text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return (
    <div className={classes.said}>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was said keeps its place, more comes after it
        <MarkdownBlockView key={index} block={block} />
      ))}
    </div>
  );
}

function MarkdownBlockView({ block }: { readonly block: MarkdownBlock }) {
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
        <List dir="auto">
          {block.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: items keep their places
            <li key={index}>
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

const Spans = ({ line }: { readonly line: MarkdownLine }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the spans of a line keep their places
  line.map((span, index) => <SpanView key={index} span={span} />);

function SpanView({ span: { kind, text } }: { readonly span: MarkdownSpan }) {
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

// A tool call as a line: what it does, then its result.

interface ToolCallStepProps {
  readonly name: string;
  readonly given: unknown;
  readonly result: string | null;
  /** What the owner decided since, if they were asked. */
  readonly approval?: ApprovalState | null;
}

const OUTCOME_MARKS = {
  running: { hue: 'agent', icon: IconClock },
  done: { hue: 'ok', icon: IconCheck },
  waits: { hue: 'you', icon: IconClock },
  failed: { hue: 'held', icon: IconLock },
} as const;

function ToolCallStep({ name, given, result, approval = null }: ToolCallStepProps) {
  const whom = useContactNamer();
  const outcome = readToolOutcome(name, result, approval);
  const { hue, icon: Mark } = OUTCOME_MARKS[outcome.is];
  const Icon = toolIcon(name);
  return (
    <li className={classes.step} data-is={outcome.is}>
      <Icon size={16} stroke={1.7} aria-hidden />
      <span dir="auto">{describeToolCall(name, given, whom)}</span>
      <span className={classes.outcome} data-hue={hue}>
        <Mark size={14} stroke={2} aria-hidden />
        <span>
          {outcome.is === 'running' ? (
            t('assistant.outcome.running')
          ) : (
            <Sentence text={outcome.sentence} />
          )}
        </span>
      </span>
    </li>
  );
}

// An approval that the assistant asks for, in place: the recipient and the exact text. The text is edited on the
// approvals page.

export function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const isGone = useIsDaemonGone();
  const [end, isSeen] = useSeenToEnd();
  const { data: waiting = [], dataUpdatedAt } = useQuery(pendingApprovalsQuery);
  const [shownAt] = useState(Date.now);
  const path = { id: approval.id };
  const invalidates = ['approvals', 'status', 'assistant'] as const;
  const approve = useAction<void, Approval>({
    run: () => relay.post('/api/approvals/{id}/approve', { path, body: { shown: approval.shown } }),
    invalidates,
    showsErrorInPlace: true,
  });
  const decline = useAction<void, Approval>({
    run: () => relay.post('/api/approvals/{id}/reject', { path, body: {} }),
    invalidates,
    showsErrorInPlace: true,
  });
  const { question, icon, approveLabel } = approvalCopy(approval);
  const decided = approve.data ?? decline.data;
  const failure = approve.error ?? decline.error;
  // Missing from a later list of pending approvals: answered elsewhere, or expired.
  const waits = dataUpdatedAt <= shownAt || waiting.some(({ id }) => id === approval.id);
  const isOver = decided !== undefined || !waits;
  const isOff = isGone || approve.isPending || decline.isPending;
  return (
    <section className={classes.approval} aria-label={question} data-over={isOver || undefined}>
      <Tile hue={isOver ? 'parked' : 'you'} icon={icon} />
      <div>
        <p>
          <b dir="auto">{question}</b>{' '}
          {approval.recipient !== null && (
            <span className="small dim">{formatContact(approval.recipient)}</span>
          )}
        </p>
        <p className={classes.exact} dir="auto">
          {approval.text}
          <span ref={end} />
        </p>
        {approval.when !== null && <p className="small dim">{approval.when}</p>}
        {isOver ? (
          <AnsweredLine decided={decided} />
        ) : (
          <>
            <p className="small dim">
              <Sentence text={approvalReason(approval)} />
            </p>
            <SendRisks risks={approval.risks} />
            {failure && (
              <Note hue="held" icon={IconAlertTriangle} role="alert">
                <Sentence text={readableError(failure)} />
              </Note>
            )}
            <div className={classes.acts}>
              <Button
                onClick={() => approve.mutate()}
                disabled={isOff || !isSeen}
                loading={approve.isPending}
              >
                {approveLabel}
              </Button>
              <Button component={Link} to={`/approvals/${approval.id}`} variant="default">
                {t('common.action.edit')}
              </Button>
              <Button
                variant="default"
                onClick={() => decline.mutate()}
                disabled={isOff}
                loading={decline.isPending}
              >
                {t('common.action.decline')}
              </Button>
            </div>
          </>
        )}
      </div>
    </section>
  );
}

/** An approval covers the whole text: it can be given once the end of the text has been on screen. */
function useSeenToEnd(): readonly [RefObject<HTMLSpanElement | null>, boolean] {
  const end = useRef<HTMLSpanElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (end.current === null) return;
    const watching = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting === true && setSeen(true),
    );
    watching.observe(end.current);
    return () => watching.disconnect();
  }, []);
  return [end, isSeen];
}

function AnsweredLine({ decided }: { readonly decided: Approval | undefined }) {
  const isDeclined = decided !== undefined && decided.state !== 'approved';
  const Icon = isDeclined ? IconX : IconCheck;
  return (
    <p className="small dim">
      <Icon size={14} aria-hidden /> {answeredText(decided)}
    </p>
  );
}

function answeredText(decided: Approval | undefined): string {
  if (decided === undefined) return t('assistant.approval.over');
  return t(
    decided.state === 'approved' ? 'assistant.approval.approved' : 'assistant.approval.declined',
  );
}

// How an unanswered question ended, with a button to ask it again. What the turn has done is in its answer, and the next
// turn knows it; anything to be sent needs a new approval.

interface TurnEndNoteProps {
  readonly ending: TurnEnding;
  readonly isOff: boolean;
  onAgain(): void;
}

export function TurnEndNote({ ending, isOff, onAgain }: TurnEndNoteProps) {
  if (ending.is === 'done') return null;
  const isStopped = ending.is === 'stopped';
  return (
    <Note
      hue={isStopped ? 'parked' : 'bad'}
      icon={isStopped ? IconPlayerStop : IconAlertTriangle}
      role={isStopped ? 'status' : 'alert'}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={15} aria-hidden />}
          disabled={isOff}
          onClick={onAgain}
        >
          {t('assistant.end.retry')}
        </Button>
      }
    >
      <TurnEndText ending={ending} />
    </Note>
  );
}

function TurnEndText({ ending }: { readonly ending: Exclude<TurnEnding, { is: 'done' }> }) {
  switch (ending.is) {
    case 'stopped':
      return t('assistant.end.stopped');
    case 'failed':
      return <Sentence text={ending.sentence} />;
    case 'cut':
      return t('assistant.end.cut');
  }
}

// The owner's names for the numbers that a model uses.

export function useContactNamer(): ContactNamer {
  const { data } = useQuery(contactNamesQuery);
  return useMemo(() => createContactNamer(data?.contacts ?? []), [data]);
}
