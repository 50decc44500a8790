// The assistant: a chat with the owner's own agent, the same session as in the terminal and on WhatsApp. What it does
// comes as steps, what needs a yes as a card in place.
import { Button } from '@mantine/core';
import type { AssistantLine } from '@relay/core/api/assistant';
import { IconRobot, IconSparkles } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { approvalsQuery, settingsQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { Note } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failed, LoadingRows } from '../../parts/places.tsx';
import { ask } from '../../shell/asking.tsx';
import { readAssistantAddress } from './address.ts';
import { ApprovalCard } from './approval-card.tsx';
import classes from './assistant.module.css';
import { Composer } from './composer.tsx';
import { Ended } from './ended.tsx';
import { Kept, Running } from './lines.tsx';
import { MayDo } from './may-do.tsx';
import { historyQuery } from './queries.ts';
import { besides, type Turn } from './turn.ts';
import { useAsking } from './use-asking.ts';
import { useEnd } from './use-end.ts';
import { useWhom } from './use-whom.ts';
import { assistantSentence, SUGGESTIONS, spoken } from './words.ts';

export function Assistant() {
  const { turn, ask, stop, keep } = useAsking();
  const isGone = useIsGone();
  const { data: settings } = useQuery(settingsQuery);
  const [suggested, suggest] = useSuggested();
  const said = useSpoken(turn);
  const hasModel = settings?.model.ready ?? true;
  const isRunning = turn !== null && turn.ending === null;
  return (
    <Page
      title="Assistant"
      sentence={assistantSentence(hasModel, turn)}
      lead="One conversation, here, in the terminal and in your own chat on WhatsApp."
      acts={<Reset isOff={isGone || isRunning} />}
    >
      <div className={classes.columns}>
        <div className={classes.talk}>
          <Transcript turn={turn} onKeep={keep} onSuggest={suggest} />
          {turn?.ending && (
            <Ended
              ending={turn.ending}
              isOff={isGone || !hasModel}
              onAgain={() => ask(turn.question)}
            />
          )}
          <Composer
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
          <MayDo />
        </aside>
      </div>
    </Page>
  );
}

/** What was said last stays said when the turn has gone into the history. */
function useSpoken(turn: Turn | null): string {
  const whom = useWhom();
  const last = useRef('');
  if (turn !== null) last.current = spoken(turn, whom);
  return last.current;
}

/** What another page brought along is put into the field, once. */
function useSuggested(): readonly [string | null, (text: string) => void] {
  const { ask } = readAssistantAddress(useSearch({ strict: false }));
  const navigate = useNavigate();
  const [suggested, suggest] = useState<string | null>(null);
  useEffect(() => {
    if (ask === undefined) return;
    suggest(ask);
    void navigate({ to: '/assistant', replace: true });
  }, [ask, navigate]);
  return [suggested, suggest];
}

interface TranscriptProps {
  readonly turn: Turn | null;
  onKeep(asOf: number): void;
  onSuggest(text: string): void;
}

function Transcript({ turn, onKeep, onSuggest }: TranscriptProps) {
  const history = useInfiniteQuery(historyQuery);
  const { dataUpdatedAt } = history;
  useEffect(() => onKeep(dataUpdatedAt), [onKeep, dataUpdatedAt]);
  const { data: waiting = [] } = useQuery(approvalsQuery);
  const now = useNow(30_000);
  const lines = besides(history.data ?? [], turn);
  const shown = turn !== null && !turn.isKept ? turn : null;
  const { end, keepPlace } = useEnd(endOf(lines, shown), turn?.at ?? null);
  if (history.data === undefined && shown === null) {
    return history.isError ? (
      <Failed
        what="The conversation"
        error={history.error}
        onRetry={() => void history.refetch()}
      />
    ) : (
      <LoadingRows rows={4} />
    );
  }
  const inTurn = new Set(shown?.parts.map((part) => part.kind === 'approval' && part.approval.id));
  const left = waiting.filter(
    ({ id, requested_by }) => isAssistant(requested_by) && !inTurn.has(id),
  );
  if (lines.length === 0 && shown === null) return <NothingSaid onSuggest={onSuggest} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a log is scrolled by keyboard
    <div className={classes.log} role="log" aria-live="off" aria-label="Conversation" tabIndex={0}>
      {history.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          loading={history.isFetchingNextPage}
          onClick={() => keepPlace(history.fetchNextPage())}
        >
          Show what was said before
        </Button>
      )}
      {lines.map((line, index) => (
        <Kept
          key={line.id}
          line={line}
          before={lines.slice(0, index).findLast(({ role }) => role === 'assistant')}
          now={now}
        />
      ))}
      {shown === null && lines.at(-1)?.role === 'user' && (
        <p className={classes.thinking}>No answer yet.</p>
      )}
      {shown !== null && <Running turn={shown} now={now} />}
      {left.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
      <div ref={end} className={classes.end} />
    </div>
  );
}

/** Changes with whatever is added at the end; nothing while nothing is there. */
const endOf = (lines: readonly AssistantLine[], turn: Turn | null): string =>
  lines.length === 0 && turn === null
    ? ''
    : `${lines.at(-1)?.id} ${turn?.parts.length} ${JSON.stringify(turn?.parts.at(-1) ?? '').length}`;

/** As the gate names who asked: `assistant:<run>`. */
const isAssistant = (who: string): boolean => who.split(':', 1)[0] === 'assistant';

const NothingSaid = ({ onSuggest }: { onSuggest(text: string): void }) => (
  <section className={classes.nothing} aria-label="Suggestions">
    <Empty icon={IconSparkles} hue="agent" title="Nothing was said yet.">
      Ask about your chats, or have something sent, scheduled or summed up.
    </Empty>
    <ul>
      {SUGGESTIONS.map((suggestion) => (
        <li key={suggestion}>
          <Button variant="default" onClick={() => onSuggest(suggestion)}>
            {suggestion}
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
    acts={
      <Button component={Link} to="/tools" size="xs">
        Set up a model
      </Button>
    }
  >
    There is no model yet. Nothing can be asked until there is one.
  </Note>
);

function Reset({ isOff }: { readonly isOff: boolean }) {
  const { data: said = [] } = useInfiniteQuery(historyQuery);
  const reset = useAct({
    act: () => relay.post('/api/assistant/reset'),
    touches: ['assistant'],
    done: 'A new beginning: nothing that was said before is remembered.',
  });
  const askFirst = () =>
    ask({
      title: 'Begin anew?',
      words:
        'The assistant no longer remembers what was said here, on WhatsApp and in the terminal, nor what it had read.',
      yes: 'Begin anew',
      no: 'Go on as it is',
      onYes: () => reset.mutate(),
    });
  if (said.length === 0) return null;
  return (
    <Button variant="default" onClick={askFirst} disabled={isOff} loading={reset.isPending}>
      Begin anew
    </Button>
  );
}
