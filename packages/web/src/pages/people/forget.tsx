// Forgetting somebody for good: first what would be erased, then the name typed as the yes, then the receipt.
import { Button, TextInput } from '@mantine/core';
import type { ListedContact } from '@relay/core/api/contacts';
import { IconEraser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Note } from '../../parts/note.tsx';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import { calledIn } from '../../parts/somebody.ts';
import { erasedWords, isTyped } from './forget-words.ts';
import shared from './people.module.css';
import classes from './person.module.css';
import { forgetQuery } from './queries.ts';

interface ForgetProps {
  readonly contact: ListedContact;
  /** From then on nothing of them can be asked for. */
  onErased(): void;
  onDone(): void;
}

export function Forget({ contact, ...told }: ForgetProps) {
  const [isAsking, setAsking] = useState(false);
  const name = calledIn(contact);
  return (
    <section className={`${classes.part} ${classes.forget}`}>
      <h3>Forget</h3>
      {isAsking ? (
        <Asks contact={contact} {...told} onKeep={() => setAsking(false)} />
      ) : (
        <>
          <p className="small dim" dir="auto">
            Erases what {name} wrote, what was written to them and what was learnt from it, for
            good.
          </p>
          <Button variant="default" size="xs" onClick={() => setAsking(true)}>
            See what would be erased
          </Button>
        </>
      )}
    </section>
  );
}

function Asks({ contact, onErased, onDone, onKeep }: ForgetProps & { onKeep(): void }) {
  const [typed, setTyped] = useState('');
  const isGone = useIsGone();
  const name = calledIn(contact);
  const forget = useAct({
    act: () => relay.post('/api/forget', { body: { id: contact.id } }),
    touches: ['whatsapp-permissions', 'knocks', 'instances', 'status', 'ledger'],
    quiet: true,
    onDone: onErased,
  });
  const preview = useQuery({ ...forgetQuery(contact.id), enabled: forget.data === undefined });
  if (forget.data !== undefined) {
    return (
      <div className={shared.form}>
        <Note hue="ok" icon={IconEraser} role="status">
          Erased: {erasedWords(forget.data.erased)}.
        </Note>
        {forget.data.stays.map((sentence) => (
          <p key={sentence} className="small dim">
            {sentence}
          </p>
        ))}
        <Button variant="default" size="xs" onClick={onDone}>
          Done
        </Button>
      </div>
    );
  }
  return (
    <Asked query={preview} what="What would be erased" loading={<LoadingLines lines={3} />}>
      {({ counts, open_conversations: open }) => (
        <form
          className={shared.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (isTyped(typed, name)) forget.mutate();
          }}
        >
          <p className="small">
            This would be erased: {erasedWords(counts)}.
            {open > 0 &&
              ` ${open === 1 ? 'One open conversation is' : `${open} open conversations are`} ended first.`}{' '}
            It cannot be undone.
          </p>
          <TextInput
            label={
              <>
                Type <b dir="auto">{name}</b> to confirm
              </>
            }
            autoFocus
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={forget.isError && sentenceOf(forget.error)}
          />
          <div className={shared.acts}>
            <Button
              type="submit"
              color="red"
              size="xs"
              disabled={isGone || !isTyped(typed, name)}
              loading={forget.isPending}
            >
              Forget for good
            </Button>
            <Button variant="default" size="xs" onClick={onKeep}>
              Keep
            </Button>
          </div>
        </form>
      )}
    </Asked>
  );
}
