// What every agent is told besides, in the owner's words.
import { Button, Textarea } from '@mantine/core';
import type { ShownSettings } from '@relay/core/api/settings';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { sentenceOf } from '../../data/relay.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Card } from '../../parts/card.tsx';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './settings.module.css';
import { useSave } from './use-save.ts';
import { settingOf, wordsOf } from './words.ts';

const NAME = 'agent.instructions';

export function InstructionsCard({ shown }: { readonly shown: ShownSettings }) {
  const set = String(settingOf(shown, NAME)?.value ?? '');
  const [edited, setEdited] = useState<string | null>(null);
  const isGone = useIsGone();
  const save = useSave(() => setEdited(null));
  const { label, says } = wordsOf(NAME);
  return (
    <Card title="Instructions">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ [NAME]: edited === '' ? null : edited });
        }}
      >
        <Textarea
          label={label}
          description={says}
          placeholder="Answer in the language you were written to. Never promise a date without asking me."
          autosize
          minRows={3}
          maxRows={10}
          maxLength={4_000}
          disabled={isGone}
          dir="auto"
          value={edited ?? set}
          onChange={(event) => setEdited(event.currentTarget.value)}
        />
        {save.error && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={sentenceOf(save.error)} />
          </Note>
        )}
        {edited !== null && edited !== set && (
          <div className={classes.acts}>
            <Button type="submit" disabled={isGone} loading={save.isPending}>
              Save instructions
            </Button>
            <Button variant="default" onClick={() => setEdited(null)}>
              Leave as it was
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}
