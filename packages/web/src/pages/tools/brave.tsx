// Brave Search: a key lets agents look things up on the web; without one nobody does.
import { Button, Modal, PasswordInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconCircleDashed, IconWorldSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { settingsQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { ToolCard } from './tool-card.tsx';
import classes from './tools.module.css';

export function BraveCard() {
  const settings = useQuery(settingsQuery);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <ToolCard
        icon={IconWorldSearch}
        title="Brave Search"
        query={settings}
        standing={({ web_search }) =>
          web_search.has_key
            ? {
                says: 'Agents can look things up on the web.',
                word: 'On',
                hue: 'ok',
                icon: IconCheck,
              }
            : {
                says: 'Lets agents look things up on the web. Needs an API key.',
                word: 'Off',
                hue: 'parked',
                icon: IconCircleDashed,
              }
        }
        act={({ web_search }) => (
          <Button variant="default" size="xs" onClick={open}>
            {web_search.has_key ? 'Change' : 'Add key'}
          </Button>
        )}
      />
      <Modal
        opened={isOpen}
        onClose={close}
        title="Brave Search"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <KeyForm hasKey={settings.data?.web_search.has_key ?? false} onDone={close} />
      </Modal>
    </>
  );
}

interface KeyFormProps {
  readonly hasKey: boolean;
  onDone(): void;
}

function KeyForm({ hasKey, onDone }: KeyFormProps) {
  const [key, setKey] = useState('');
  const isGone = useIsGone();
  const save = useAct({
    act: (brave_api_key: string | null) =>
      relay.patch('/api/settings', { body: { brave_api_key } }),
    touches: ['settings'],
    onDone,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(key.trim());
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <PasswordInput
        label="API key"
        description="From Brave’s search API. Kept sealed, never shown again."
        autoComplete="off"
        data-autofocus
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone || key.trim() === ''} loading={save.isPending}>
          Save key
        </Button>
        {hasKey && (
          <Button
            variant="outline"
            color="red"
            disabled={isGone || save.isPending}
            onClick={() => save.mutate(null)}
          >
            Remove key
          </Button>
        )}
      </div>
    </form>
  );
}
