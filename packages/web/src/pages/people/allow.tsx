// Opens somebody: looked for among all whom Relay knows, or by a number. Reading alone is suggested; whatever is opened
// here begins with drafts, so nothing leaves without the owner.
import { Button, Modal, Radio, TextInput } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { grantSentence, isOpen, openSentence } from '../../parts/grant-words.ts';
import { Note } from '../../parts/note.tsx';
import { phoneNumber } from '../../parts/numbers.ts';
import { calledIn } from '../../parts/somebody.ts';
import { type Somebody, SomebodyField } from '../../parts/somebody-field.tsx';
import classes from './people.module.css';
import { type Flags, save, TOUCHES } from './use-grant.ts';

const FLAGS = {
  read: { canRead: true },
  draft: { canRead: true, canReply: true, replyMode: 'draft' },
} as const satisfies Record<string, Flags>;

export function AllowModal({ isOpen: isShown, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Modal
      opened={isShown}
      onClose={onClose}
      title="Allow someone"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <AllowForm onDone={onClose} />
    </Modal>
  );
}

function AllowForm({ onDone }: { onDone(): void }) {
  const isGone = useIsGone();
  const [whom, setWhom] = useState<Somebody | null>(null);
  const [given, setGiven] = useState('');
  const [what, setWhat] = useState<keyof typeof FLAGS>('read');
  const [isTried, setTried] = useState(false);
  const name = nameOf(whom, given);
  const sum = grantSentence({
    displayName: name === '' ? 'them' : name,
    canRead: true,
    canReply: what === 'draft',
    replyMode: 'draft',
  });
  const allow = useAct({
    act: (somebody: Somebody) => open(somebody, given.trim(), FLAGS[what]),
    touches: TOUCHES,
    done: sum,
    quiet: true,
    onDone,
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (whom !== null) allow.mutate(whom);
      }}
    >
      <SomebodyField
        label="Whom"
        value={whom}
        onChoose={setWhom}
        error={
          allow.isError ? sentenceOf(allow.error) : isTried && whom === null && 'Choose somebody.'
        }
      />
      {isNew(whom) && (
        <TextInput
          label="What you call them"
          description="Agents know them by this name, or else by their number."
          value={given}
          onChange={({ currentTarget }) => setGiven(currentTarget.value)}
        />
      )}
      {whom?.is === 'contact' && isOpen(whom.contact) && (
        <Note hue="agent" icon={IconInfoCircle}>
          <span dir="auto">Open already: {openSentence(whom.contact, name)}</span>
        </Note>
      )}
      <Radio.Group
        label="What is opened"
        value={what}
        onChange={(next) => setWhat(next === 'draft' ? 'draft' : 'read')}
      >
        <Radio
          mt={8}
          value="read"
          label="Read only"
          description="Suggested. Nothing is answered."
        />
        <Radio
          mt={8}
          value="draft"
          label="Read, and write drafts"
          description="You send each reply."
        />
      </Radio.Group>
      <p className="small dim" dir="auto">
        {sum}
      </p>
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={allow.isPending}>
          {what === 'read' ? 'Allow reading' : 'Allow reading and drafts'}
        </Button>
        <Button variant="default" onClick={onDone}>
          Never mind
        </Button>
      </div>
    </form>
  );
}

const isNew = (whom: Somebody | null): boolean =>
  whom?.is === 'number' || (whom?.is === 'contact' && whom.contact.grant === null);

function nameOf(whom: Somebody | null, given: string): string {
  if (isNew(whom) && given.trim() !== '') return given.trim();
  if (whom?.is === 'contact') return calledIn(whom.contact);
  return whom?.is === 'number' ? phoneNumber(whom.digits) : '';
}

async function open(whom: Somebody, name: string, flags: Flags): Promise<void> {
  if (whom.is === 'contact') await save(whom.contact, flags, name);
  if (whom.is !== 'number') return;
  const number = phoneNumber(whom.digits);
  const body = { phoneNumber: number, displayName: name || number, replyMode: 'draft' as const };
  await relay.post('/api/whatsapp/permissions', { body: { ...body, ...flags } });
}
