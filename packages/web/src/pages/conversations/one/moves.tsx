// What the owner may do now, and nothing else: each button names what comes of it. Cancelling asks first; a refusal
// because it moved on shows the new state in its place.
import { Button } from '@mantine/core';
import type { ConversationInstance } from '@relay/core/api/instances';
import { RelayApiError } from '@relay/core/client/api-error';
import { type LegalMove, type OwnersMove, ownersMoves } from '@relay/core/conversation/moves';
import { IconRefresh } from '@tabler/icons-react';
import { relay, sentenceOf } from '../../../data/relay.ts';
import { useAct } from '../../../data/use-act.ts';
import { useIsGone } from '../../../data/use-live.ts';
import { Note } from '../../../parts/note.tsx';
import { Sentence } from '../../../parts/sentence.tsx';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { ask } from '../../../shell/asking.tsx';
import classes from './conversation.module.css';
import { moveWords } from './words.ts';

type Pressed = Exclude<OwnersMove, 'manual_send'>;

export function useMoves(instance: ConversationInstance) {
  const isGone = useIsGone();
  const path = { id: instance.id };
  const act = useAct({
    act: (move: Pressed) =>
      ({
        pause: () => relay.post('/api/instances/{id}/pause', { path }),
        resume: () => relay.post('/api/instances/{id}/resume', { path }),
        cancel: () => relay.post('/api/instances/{id}/cancel', { path }),
      })[move](),
    touches: ['instances', 'approvals', 'status'],
    quiet: true,
  });
  const legal = ownersMoves(instance.state, instance.previous_state);
  const isOff = isGone || act.isPending;
  return {
    legal,
    isOff,
    busy: act.isPending ? act.variables : null,
    error: act.error,
    /** Only what is legal now is done, also by a key. */
    press(move: Pressed) {
      if (isOff || !legal.some((one) => one.move === move)) return;
      if (move === 'cancel') askToCancel(instance, () => act.mutate('cancel'));
      else act.mutate(move);
    },
  };
}

export type Moves = ReturnType<typeof useMoves>;

function askToCancel({ objective }: ConversationInstance, onYes: () => void): void {
  ask({
    title: 'Cancel this conversation?',
    words: (
      <p>
        “<span dir="auto">{objective}</span>” ends without a farewell. What waits to be sent is not
        sent. This cannot be undone.
      </p>
    ),
    yes: 'Cancel the conversation',
    no: 'Keep it',
    isGrave: true,
    onYes,
  });
}

/** `manual_send` is the composer's. */
export const isPressed = (legal: LegalMove): legal is LegalMove & { readonly move: Pressed } =>
  legal.move !== 'manual_send';

export function MoveList({ moves }: { readonly moves: Moves }) {
  return (
    <ul className={classes.moves}>
      {moves.legal.filter(isPressed).map((legal) => {
        const { act, result, icon: Icon } = moveWords(legal);
        return (
          <li key={legal.move}>
            <button type="button" disabled={moves.isOff} onClick={() => moves.press(legal.move)}>
              <Icon size={17} stroke={1.7} aria-hidden />
              <span>
                <b>{act}</b>
                <small>{result}</small>
              </span>
              <StateBadge
                instance={{
                  state: legal.to,
                  failure_reason: legal.move === 'cancel' ? 'cancelled' : null,
                }}
              />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** After a refusal the state is asked for again, so what stands here is how it is now. */
export function MovedOn({
  moves,
  instance,
}: {
  readonly moves: Moves;
  readonly instance: ConversationInstance;
}) {
  if (moves.error === null) return null;
  const isConflict = moves.error instanceof RelayApiError && moves.error.status === 409;
  return (
    <Note hue="held" icon={IconRefresh} role="alert" acts={<StateBadge instance={instance} />}>
      {isConflict && 'This moved on while you looked. '}
      <Sentence text={sentenceOf(moves.error)} />
    </Note>
  );
}

export function MoveButton({ moves, move }: { readonly moves: Moves; readonly move: Pressed }) {
  const legal = moves.legal.find((one) => one.move === move);
  if (legal === undefined) return null;
  const { act, result, icon: Icon } = moveWords(legal);
  return (
    <Button
      variant="default"
      disabled={moves.isOff}
      loading={moves.busy === move}
      leftSection={<Icon size={16} />}
      aria-label={`${act}: ${result}`}
      onClick={() => moves.press(move)}
    >
      {act}
    </Button>
  );
}
