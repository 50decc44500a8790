// Choosing what finds things by meaning: tried first, so that what leaves this machine and how long it takes is known
// before it is chosen.
import { Button, PasswordInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { MemoryStatus } from '@relay/core/api/memory';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './settings.module.css';
import { trialWords } from './words.ts';

const KINDS = [
  { value: 'off', label: 'Off: by words alone' },
  { value: 'local', label: 'A small model on this machine (English)' },
  { value: 'endpoint', label: 'A server with OpenAI’s /embeddings' },
];

interface EmbeddingsFormProps {
  readonly status: MemoryStatus;
  onDone(): void;
}

export function EmbeddingsForm({ status, onDone }: EmbeddingsFormProps) {
  const isGone = useIsGone();
  const form = useForm({
    initialValues: { embeddings: status.embeddings, base_url: '', model: '', api_key: '' },
    onValuesChange: () => trial.reset(),
  });
  const choice = () => {
    const { embeddings, ...endpoint } = form.getValues();
    const given = Object.entries(endpoint).filter(([, value]) => value.trim() !== '');
    return embeddings === 'endpoint'
      ? { embeddings, ...Object.fromEntries(given) }
      : { embeddings };
  };
  const trial = useAct({
    act: () => relay.post('/api/memory/embeddings/trial', { body: choice() }),
    touches: [],
    quiet: true,
  });
  const choose = useAct({
    act: () => relay.patch('/api/memory/embeddings', { body: choice() }),
    touches: ['settings'],
    quiet: true,
    done: 'The search by meaning is changed.',
    onDone,
  });
  const isOff = form.values.embeddings === 'off';
  const failure = trial.error ?? choose.error;
  return (
    <form
      className={classes.form}
      onSubmit={form.onSubmit(() =>
        isOff || trial.data !== undefined ? choose.mutate() : trial.mutate(),
      )}
    >
      <Select
        label="Finds things by meaning with"
        data={KINDS}
        allowDeselect={false}
        {...form.getInputProps('embeddings')}
      />
      {form.values.embeddings === 'endpoint' && (
        <>
          <TextInput
            label="Address"
            placeholder="https://api.example.com/v1"
            {...form.getInputProps('base_url')}
          />
          <TextInput label="Name of the model" {...form.getInputProps('model')} />
          <PasswordInput
            label="API key"
            description="Kept sealed. Empty keeps the one that is there for this address."
            autoComplete="off"
            {...form.getInputProps('api_key')}
          />
        </>
      )}
      {trial.data && (
        <Note hue="ok" icon={IconCheck} role="status">
          {trialWords(trial.data)}
        </Note>
      )}
      {failure && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={sentenceOf(failure)} />
        </Note>
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={trial.isPending || choose.isPending}>
          {isOff ? 'Switch it off' : trial.data === undefined ? 'Try it' : 'Use it'}
        </Button>
        <Button variant="default" onClick={onDone}>
          Leave as it was
        </Button>
      </div>
    </form>
  );
}
