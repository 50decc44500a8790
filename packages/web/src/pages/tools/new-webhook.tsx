// Makes a webhook: where it leads, and whether words and names are told too.
import { Button, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Secret } from './secret.tsx';
import classes from './tools.module.css';

export function NewWebhook() {
  const isGone = useIsGone();
  const form = useForm({
    initialValues: { url: '', include_text: false },
    validate: { url: (url) => (URL.canParse(url) ? null : 'Give a whole address, with https://.') },
  });
  const create = useAct({
    act: (body: typeof form.values) => relay.post('/api/webhooks', { body }),
    touches: ['webhooks'],
    quiet: true,
    onDone: () => form.reset(),
  });
  if (create.data) {
    return (
      <div className={classes.form}>
        <Secret
          secret={create.data.secret}
          says="With this the receiver sees that it was Relay who wrote."
        />
        <div className={classes.acts}>
          <Button variant="default" onClick={() => create.reset()}>
            Done
          </Button>
        </div>
      </div>
    );
  }
  return (
    <form className={classes.form} onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <TextInput
        label="Address"
        placeholder="https://example.org/relay"
        {...form.getInputProps('url')}
        error={form.errors.url ?? (create.error && sentenceOf(create.error))}
      />
      <Switch
        label="Tell words and names too"
        description="Without this it hears ids, kinds and times alone."
        {...form.getInputProps('include_text', { type: 'checkbox' })}
      />
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={create.isPending}>
          Make webhook
        </Button>
      </div>
    </form>
  );
}
