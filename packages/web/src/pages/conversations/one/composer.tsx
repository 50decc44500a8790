// Writing to the contact as oneself: Ctrl Enter sends, what was typed is kept until it has left, and a refusal is told
// where it happened.
import { Button, Textarea } from '@mantine/core';
import type { ConversationInstance } from '@relay/core/api/instances';
import type { LegalMove } from '@relay/core/conversation/moves';
import { IconAlertTriangle, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { linkQuery } from '../../../data/queries.ts';
import { relay, sentenceOf } from '../../../data/relay.ts';
import { useAct } from '../../../data/use-act.ts';
import { useIsGone } from '../../../data/use-live.ts';
import { Note } from '../../../parts/note.tsx';
import { Sentence } from '../../../parts/sentence.tsx';
import classes from './conversation.module.css';
import { useDraft } from './use-draft.ts';
import { moveWords } from './words.ts';

interface ComposerProps {
  readonly instance: ConversationInstance;
  readonly name: string;
  readonly send: LegalMove;
  /** Beside the button. */
  readonly children?: ReactNode;
}

export function Composer({ instance, name, send: move, children }: ComposerProps) {
  const isGone = useIsGone();
  const { data: link } = useQuery(linkQuery);
  const draft = useDraft(instance.id);
  const send = useAct({
    act: ({ message, key }: { message: string; key: string }) =>
      relay.post('/api/instances/{id}/send', {
        path: { id: instance.id },
        body: { message },
        header: { 'idempotency-key': key },
      }),
    touches: ['instances', 'status'],
    quiet: true,
    onDone: draft.forget,
  });
  const isOff = isGone || send.isPending || draft.text.trim() === '';
  const submit = () => isOff || send.mutate(draft.take());
  const isConnected = link === undefined || link.status === 'connected';
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {send.error && (
        <Note hue="held" icon={IconAlertTriangle} role="alert">
          <Sentence text={sentenceOf(send.error)} /> What you wrote is kept.
        </Note>
      )}
      <Textarea
        aria-label={`Write to ${name} as yourself`}
        placeholder={`Write to ${name} as yourself …`}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={4_096}
        value={draft.text}
        onChange={(event) => {
          draft.type(event.currentTarget.value);
          send.reset();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
        }}
      />
      <div className={classes.acts}>
        <Button
          type="submit"
          disabled={isOff}
          loading={send.isPending}
          leftSection={<IconSend size={16} />}
          rightSection={<kbd>Ctrl ⏎</kbd>}
        >
          {isConnected ? moveWords(move).act : 'Send when connected'}
        </Button>
        {children}
      </div>
    </form>
  );
}
