// The other way to link: a number, for which WhatsApp gives a code to type.
import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useIsGone } from '../../data/use-live.ts';
import classes from './tools.module.css';
import type { Linking } from './use-linking.ts';

interface PairingFormProps {
  readonly linking: Linking;
  onCancel(): void;
}

export function PairingForm({ linking, onCancel }: PairingFormProps) {
  const isGone = useIsGone();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { phone: '' },
    validate: {
      phone: (phone) =>
        phone.replace(/\D/g, '').length < 7 ? 'Give the number with its country code.' : null,
    },
  });
  return (
    <form
      className={classes.pairingForm}
      onSubmit={form.onSubmit(({ phone }) => linking.link(phone))}
    >
      <TextInput
        label="Number of the phone"
        description="With its country code, as in +49 170 1234567"
        type="tel"
        autoComplete="tel"
        key={form.key('phone')}
        {...form.getInputProps('phone')}
      />
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={linking.isBusy}>
          Get a code
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel}>
          Not now
        </Button>
      </div>
    </form>
  );
}
