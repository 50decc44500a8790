// Adds somebody by number and name, with everything still closed. Replies opened later begin as drafts.
import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import classes from './people.module.css';

export function AddPermission() {
  const isGone = useIsGone();
  const form = useForm({
    initialValues: { phoneNumber: '', displayName: '' },
    validate: {
      phoneNumber: (number) => (/\d/.test(number) ? null : 'Give a number.'),
      displayName: (name) => (name.trim() === '' ? 'Give a name.' : null),
    },
  });
  const add = useAct({
    act: (body: typeof form.values) =>
      relay.post('/api/whatsapp/permissions', { body: { ...body, replyMode: 'draft' } }),
    touches: ['whatsapp-permissions', 'contacts', 'knocks'],
    quiet: true,
    onDone: () => form.reset(),
  });
  return (
    <form className={classes.add} onSubmit={form.onSubmit((values) => add.mutate(values))}>
      <TextInput
        label="Phone number"
        placeholder="+49 170 1234567"
        type="tel"
        {...form.getInputProps('phoneNumber')}
        error={form.errors.phoneNumber ?? (add.error && sentenceOf(add.error))}
      />
      <TextInput label="Name" placeholder="Dana" {...form.getInputProps('displayName')} />
      <Button type="submit" disabled={isGone} loading={add.isPending}>
        Add contact
      </Button>
    </form>
  );
}
