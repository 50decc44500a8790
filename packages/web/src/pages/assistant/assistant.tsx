// The assistant page: a chat with the owner's agent, in the same session as in the terminal and on WhatsApp. Tool calls
// are shown as steps, approvals as cards in place.
import { Button, Textarea } from '@mantine/core';
import type { AssistantLine } from '@relay/contract/api/assistant';
import { MAX_ASSISTANT_QUESTION_LENGTH } from '@relay/contract/api/constants';
import { IconPlayerStop, IconRobot, IconSend, IconSparkles, IconTools } from '@tabler/icons-react';
import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { nounKey, pendingApprovalsQuery, settingsQuery, statusQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { Card, Note, Page } from '../../parts/page.tsx';
import { EmptyState, LoadFailure, LoadingRows } from '../../parts/query-content.tsx';
import { readAssistantSearch } from '../../search-params.ts';
import { askToConfirm } from '../../shell/dialog.tsx';
import classes from './assistant.module.css';
import { SUGGESTIONS, spokenStatus, TOOL_COPY } from './copy.ts';
import {
  ApprovalCard,
  HistoryLine,
  RunningTurnView,
  TurnEndNote,
  useContactNamer,
} from './messages.tsx';
import { type AssistantTurn, linesOutsideTurn, useAssistantTurn } from './turn.ts';

export function AssistantScreen() {
  const { turn, ask, stop, dropIfInHistory } = useAssistantTurn();
  const isGone = useIsDaemonGone();
  const { data: settings } = useQuery(settingsQuery);
  const [suggested, suggest] = useSuggested();
  const said = useSpoken(turn);
  const hasModel = settings?.model.ready ?? true;
  const isRunning = turn !== null && turn.ending === null;
  return (
    <Page
      title={t('common.page.assistant')}
      summary={t('assistant.summary')}
      actions={<ResetButton isOff={isGone || isRunning} />}
    >
      <div className={classes.columns}>
        <div className={classes.chat}>
          <AssistantLog turn={turn} onKeep={dropIfInHistory} onSuggest={suggest} />
          {turn?.ending && (
            <TurnEndNote
              ending={turn.ending}
              isOff={isGone || !hasModel}
              onAgain={() => ask(turn.question)}
            />
          )}
          <AssistantComposer
            note={!hasModel && <NoModel />}
            isOff={isGone || !hasModel}
            isRunning={isRunning}
            suggested={suggested}
            onAsk={ask}
            onStop={stop}
          />
          <p className="unseen" role="status">
            {said}
          </p>
        </div>
        <aside>
          <AssistantToolsCard />
        </aside>
      </div>
    </Page>
  );
}

/** Keeps the last announcement when the turn has moved to the history. */
function useSpoken(turn: AssistantTurn | null): string {
  const whom = useContactNamer();
  const last = useRef('');
  if (turn !== null) last.current = spokenStatus(turn, whom);
  return last.current;
}

/** Puts a question from another page into the field, once. */
function useSuggested(): readonly [string | null, (text: string) => void] {
  const { ask } = readAssistantSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const [suggested, suggest] = useState<string | null>(null);
  useEffect(() => {
    if (ask === undefined) return;
    suggest(ask);
    void navigate({ to: '/assistant', replace: true });
  }, [ask, navigate]);
  return [suggested, suggest];
}

interface AssistantLogProps {
  readonly turn: AssistantTurn | null;
  onKeep(asOf: number): void;
  onSuggest(text: string): void;
}

function AssistantLog({ turn, onKeep, onSuggest }: AssistantLogProps) {
  const history = useInfiniteQuery(assistantHistoryQuery);
  const { dataUpdatedAt } = history;
  useEffect(() => onKeep(dataUpdatedAt), [onKeep, dataUpdatedAt]);
  const { data: waiting = [] } = useQuery(pendingApprovalsQuery);
  const now = useNow(30_000);
  const lines = linesOutsideTurn(history.data ?? [], turn);
  const shown = turn !== null && !turn.isInHistory ? turn : null;
  const { end, keepPlace } = useStickToEnd(endMarker(lines, shown), turn?.at ?? null);
  if (history.data === undefined && shown === null) {
    return history.isError ? (
      <LoadFailure
        what={t('assistant.log.label')}
        error={history.error}
        onRetry={() => void history.refetch()}
      />
    ) : (
      <LoadingRows rows={4} />
    );
  }
  const inTurn = new Set(shown?.parts.map((part) => part.kind === 'approval' && part.approval.id));
  const otherApprovals = waiting.filter(
    ({ id, requested_by }) => isAssistant(requested_by) && !inTurn.has(id),
  );
  if (lines.length === 0 && shown === null) return <EmptyAssistantLog onSuggest={onSuggest} />;
  return (
    <div
      className={classes.log}
      role="log"
      aria-live="off"
      aria-label={t('assistant.log.label')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a log is scrolled by keyboard
      tabIndex={0}
    >
      {history.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          loading={history.isFetchingNextPage}
          onClick={() => keepPlace(history.fetchNextPage())}
        >
          {t('assistant.log.older')}
        </Button>
      )}
      {lines.map((line, index) => (
        <HistoryLine
          key={line.id}
          line={line}
          before={lines.slice(0, index).findLast(({ role }) => role === 'assistant')}
          now={now}
        />
      ))}
      {shown === null && lines.at(-1)?.role === 'user' && (
        <p className={classes.thinking}>{t('assistant.log.unanswered')}</p>
      )}
      {shown !== null && <RunningTurnView turn={shown} now={now} />}
      {otherApprovals.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
      <div ref={end} className={classes.end} />
    </div>
  );
}

/** Changes with whatever is added at the end; empty while there is nothing. */
const endMarker = (lines: readonly AssistantLine[], turn: AssistantTurn | null): string =>
  lines.length === 0 && turn === null
    ? ''
    : `${lines.at(-1)?.id} ${turn?.parts.length} ${JSON.stringify(turn?.parts.at(-1) ?? '').length}`;

/** As the gate names the requester: `assistant:<run>`. */
const isAssistant = (who: string): boolean => who.split(':', 1)[0] === 'assistant';

const EmptyAssistantLog = ({ onSuggest }: { onSuggest(text: string): void }) => (
  <section className={classes.empty} aria-label={t('assistant.empty.label')}>
    <EmptyState icon={IconSparkles} hue="agent" title={t('assistant.empty.title')}>
      {t('assistant.empty.text')}
    </EmptyState>
    <ul>
      {SUGGESTIONS.map((suggestion) => (
        <li key={suggestion}>
          <Button variant="default" onClick={() => onSuggest(t(suggestion))}>
            {t(suggestion)}
          </Button>
        </li>
      ))}
    </ul>
  </section>
);

const NoModel = () => (
  <Note
    hue="you"
    icon={IconRobot}
    actions={
      <Button component={Link} to="/tools" size="xs">
        {t('assistant.noModel.action')}
      </Button>
    }
  >
    {t('assistant.noModel.text')}
  </Note>
);

function ResetButton({ isOff }: { readonly isOff: boolean }) {
  const { data: said = [] } = useInfiniteQuery(assistantHistoryQuery);
  const reset = useAction({
    run: () => relay.post('/api/assistant/reset'),
    invalidates: ['assistant'],
    successMessage: t('assistant.reset.done'),
  });
  const askFirst = () =>
    askToConfirm({
      title: t('assistant.reset.title'),
      body: t('assistant.reset.text'),
      confirmLabel: t('assistant.reset'),
      cancelLabel: t('common.action.cancel'),
      onConfirm: () => reset.mutate(),
    });
  if (said.length === 0) return null;
  return (
    <Button variant="default" onClick={askFirst} disabled={isOff} loading={reset.isPending}>
      {t('assistant.reset')}
    </Button>
  );
}

// The input. Enter asks, Shift+Enter breaks the line; the typed text survives a reload.

const DRAFT_STORAGE = 'relay-assistant-draft';

interface AssistantComposerProps {
  /** Shown with the field. */
  readonly note: ReactNode;
  readonly isOff: boolean;
  readonly isRunning: boolean;
  /** Put into the field without asking: a suggestion, or a question from another page. */
  readonly suggested: string | null;
  onAsk(text: string): void;
  onStop(): void;
}

function AssistantComposer({
  note,
  isOff,
  isRunning,
  suggested,
  onAsk,
  onStop,
}: AssistantComposerProps) {
  const [text, setText] = useState(() => sessionStorage.getItem(DRAFT_STORAGE) ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (text === '') sessionStorage.removeItem(DRAFT_STORAGE);
    else sessionStorage.setItem(DRAFT_STORAGE, text);
  }, [text]);
  useEffect(() => {
    if (suggested === null) return;
    setText(suggested);
    field.current?.focus();
  }, [suggested]);
  const isLong = text.length > MAX_ASSISTANT_QUESTION_LENGTH;
  const canAsk = !isOff && !isRunning && !isLong && text.trim() !== '';
  const ask = () => {
    if (!canAsk) return;
    onAsk(text.trim());
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    ask();
  };
  return (
    <div className={classes.composer}>
      {note && <div className={classes.above}>{note}</div>}
      <Textarea
        ref={field}
        aria-label={t('assistant.composer.label')}
        placeholder={t('assistant.composer.placeholder')}
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
        error={
          isLong &&
          t('assistant.composer.tooLong', {
            limit: MAX_ASSISTANT_QUESTION_LENGTH,
            length: text.length,
          })
        }
      />
      {isRunning ? (
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          onClick={() => {
            onStop();
            field.current?.focus();
          }}
        >
          {t('assistant.composer.stop')}
        </Button>
      ) : (
        <Button leftSection={<IconSend size={16} aria-hidden />} onClick={ask} disabled={!canAsk}>
          {t('assistant.composer.ask')}
        </Button>
      )}
    </div>
  );
}

// What the assistant can do, in short and as a list of tools.

/** Two tools for the same action are listed once. */
const LISTED_TOOLS = Object.entries(TOOL_COPY).filter(([name]) => name !== 'whatsapp_send_message');

const WITHOUT_CONNECTION = ['get_digest', 'get_results'];

function AssistantToolsCard() {
  const { data: status } = useQuery(statusQuery);
  const { data: settings } = useQuery(settingsQuery);
  const isUp = status?.whatsapp_connected ?? true;
  const isAvailable = (name: string) =>
    name === 'web_search'
      ? (settings?.web_search.has_key ?? true)
      : isUp || WITHOUT_CONNECTION.includes(name);
  return (
    <Card
      title={t('assistant.tools.title')}
      badge={<IconTools size={17} stroke={1.7} aria-hidden />}
    >
      <p className="small dim">{t('assistant.tools.text')}</p>
      {!isUp && <p className="small dim">{t('assistant.tools.disconnected')}</p>}
      <ul className={classes.tools}>
        {LISTED_TOOLS.map(([name, { icon: Icon, label }]) => (
          <li key={name} data-off={!isAvailable(name) || undefined}>
            <Icon size={15} stroke={1.7} aria-hidden />
            {t(label)}
            {!isAvailable(name) && (
              <small>{t(name === 'web_search' ? 'assistant.tools.noKey' : 'common.off')}</small>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

// Keeps the view at the end of the conversation while the reader is there, and in place while they read further up.

const NEAR_END_PX = 140;

interface StickToEnd {
  /** Marks the end of the conversation. */
  readonly end: RefObject<HTMLDivElement | null>;
  /** Keeps the view in place when something is added at the beginning. */
  keepPlace(adding: Promise<unknown>): void;
}

/**
 * `what` changes with whatever is added at the end, `asked` with each question: a new question scrolls to its answer.
 */
function useStickToEnd(what: string, asked: number | null): StickToEnd {
  const end = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const isPlaced = useRef(false);
  useEffect(() => {
    // Until the view was placed once, only the router has scrolled.
    const look = () => {
      const top = end.current?.getBoundingClientRect().top;
      if (isPlaced.current && top !== undefined)
        follows.current = top < window.innerHeight + NEAR_END_PX;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    if (asked !== null) follows.current = true;
  }, [asked]);
  useEffect(() => {
    if (what === '' || !follows.current) return;
    const frame = requestAnimationFrame(() => {
      end.current?.scrollIntoView({ block: 'end' });
      isPlaced.current = true;
    });
    return () => cancelAnimationFrame(frame);
  }, [what]);
  const keepPlace = useCallback((adding: Promise<unknown>) => {
    const page = document.scrollingElement ?? document.documentElement;
    const below = page.scrollHeight - page.scrollTop;
    follows.current = false;
    void adding.then(() =>
      requestAnimationFrame(() => page.scrollTo({ top: page.scrollHeight - below })),
    );
  }, []);
  return { end, keepPlace };
}

// The history of the assistant, page by page from the newest.

const HISTORY_PAGE = 40;

const assistantHistoryQuery = infiniteQueryOptions({
  queryKey: nounKey('assistant', 'history'),
  queryFn: ({ signal, pageParam }) =>
    relay.get('/api/assistant/messages', {
      signal,
      query: { limit: HISTORY_PAGE, ...(pageParam === null ? {} : { before: Number(pageParam) }) },
    }),
  initialPageParam: null as string | null,
  getNextPageParam: (page: readonly AssistantLine[]) =>
    page.length < HISTORY_PAGE ? null : (page[0]?.id ?? null),
  select: ({ pages }) => pages.toReversed().flat(),
});
