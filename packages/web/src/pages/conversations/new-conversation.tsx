// Begins a conversation: what for, with whom, what to settle, what may be told. It has an address of its own, and what
// is written in it is kept until it is created or thrown away.
import { Button, Drawer, Textarea } from '@mantine/core';
import { LIMITS } from '@relay/core/conversation/limits';
import { IconAlertTriangle, IconCloudOff } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { sentenceOf } from '../../data/relay.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { wrongWith } from './draft.ts';
import { FollowUps } from './follow-ups.tsx';
import { Left } from './left.tsx';
import { Lines } from './lines.tsx';
import classes from './new-conversation.module.css';
import { RecipientField } from './recipient-field.tsx';
import { TemplateChoice } from './template-choice.tsx';
import { useCreate } from './use-create.ts';
import { useDraft } from './use-draft.ts';

interface NewConversationProps {
  readonly template: string;
  onClose(): void;
}

export function NewConversation({ template, onClose }: NewConversationProps) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={620}
      title="New conversation"
      closeButtonProps={{ 'aria-label': 'Close' }}
      classNames={{ body: classes.body ?? '', content: classes.content ?? '' }}
    >
      <Form template={template} />
    </Drawer>
  );
}

function Form({ template }: { readonly template: string }) {
  const { draft, change, forget } = useDraft(template);
  const navigate = useNavigate();
  const isGone = useIsGone();
  const [isTried, setTried] = useState(false);
  const wrong = wrongWith(draft);
  const isWrong = Object.keys(wrong).length > 0;
  const create = useCreate(({ id }) => {
    forget();
    void navigate({ to: '/conversations/$id', params: { id } });
  });
  const refusedNumber = create.code === 'invalid_phone' ? sentenceOf(create.error) : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (!isWrong && !isGone) return create.mutate(draft);
    const { elements } = event.currentTarget;
    // Once the fields say what is wrong with them.
    requestAnimationFrame(() => firstWrong(elements)?.focus());
  };
  const shown = isTried ? wrong : tooMuch(wrong, draft.objective);
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <div className={classes.fields}>
        <TemplateChoice draft={draft} onChange={change} />
        <Textarea
          label="Objective"
          description="One sentence that says when it is done. The agent works towards it."
          placeholder="Get a quote for the leaking tap by Friday"
          autosize
          minRows={2}
          maxRows={8}
          value={draft.objective}
          onChange={({ currentTarget: { value } }) => change({ objective: value })}
          error={shown.objective}
          inputContainer={(input) => (
            <>
              {input}
              <Left text={draft.objective} most={LIMITS.objective} />
            </>
          )}
          data-autofocus
        />
        <RecipientField
          value={draft.recipient}
          onChange={(recipient) => change({ recipient })}
          error={refusedNumber ?? shown.recipient}
        />
        <Lines
          kind="todo"
          title="To-dos"
          description="What has to be settled on the way. The agent ticks them off."
          add="Add a to-do"
          most={LIMITS.todos}
          longest={LIMITS.todo}
          lines={draft.todos}
          wrong={shown}
          onLines={(todos) => change({ todos })}
        />
        <Lines
          kind="fact"
          title="Facts that may be told"
          description="Whatever stands here, the agent may tell them as it stands. It invents no others."
          add="Add a fact"
          most={LIMITS.facts}
          longest={LIMITS.fact}
          lines={draft.facts}
          wrong={shown}
          onLines={(facts) => change({ facts })}
        />
        <FollowUps draft={draft} onChange={change} wrong={shown} />
      </div>
      <footer className={classes.foot}>
        {isGone && (
          <Note hue="bad" icon={IconCloudOff}>
            Relay is not answering. What you wrote is kept.
          </Note>
        )}
        {create.error && refusedNumber === undefined && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={sentenceOf(create.error)} />
          </Note>
        )}
        <div className={classes.acts}>
          <Button variant="subtle" color="gray" onClick={forget}>
            Start over
          </Button>
          <Button type="submit" loading={create.isPending} disabled={isGone}>
            Start the conversation
          </Button>
        </div>
      </footer>
    </form>
  );
}

/** Before anybody tried to begin, only what is too much is said. */
const tooMuch = (wrong: Readonly<Record<string, string | undefined>>, objective: string) => {
  const { recipient: _, objective: about, ...rest } = wrong;
  return objective.length > LIMITS.objective ? { ...rest, objective: about } : rest;
};

const firstWrong = (elements: HTMLFormControlsCollection): HTMLElement | undefined =>
  [...elements].find(
    (element): element is HTMLElement =>
      element instanceof HTMLElement && element.getAttribute('aria-invalid') === 'true',
  );
