// Observing a group: which one is meant, what to tell it first, what happens to its history; then a yes.
import { Button, Modal, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './groups.module.css';
import { ObserveTerms } from './observe-terms.tsx';

interface ObserveModalProps {
  readonly isOpen: boolean;
  onClose(): void;
}

export function ObserveModal({ isOpen, onClose }: ObserveModalProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      size="lg"
      title="Observe a group"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Choosing onDone={onClose} />
    </Modal>
  );
}

function Choosing({ onDone }: { onDone(): void }) {
  const [group, setGroup] = useState('');
  const isGone = useIsGone();
  const preview = useAct({
    act: (named: string) => relay.post('/api/observed-groups/preview', { body: { group: named } }),
    touches: [],
    quiet: true,
  });
  if (preview.data !== undefined) {
    return <ObserveTerms preview={preview.data} onBack={preview.reset} onDone={onDone} />;
  }
  const look = (event: FormEvent) => {
    event.preventDefault();
    preview.mutate(group.trim());
  };
  return (
    <form className={classes.form} onSubmit={look}>
      <TextInput
        label="Which group"
        description="Its name, as your phone shows it. Relay has to have heard from it once."
        data-autofocus
        value={group}
        onChange={(event) => setGroup(event.currentTarget.value)}
      />
      {preview.error && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={sentenceOf(preview.error)} />
        </Note>
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone || group.trim() === ''} loading={preview.isPending}>
          Look it up
        </Button>
      </div>
    </form>
  );
}
