// Makes a token for a program: a name, what it may do, and whether somebody is asked before it sends.

import { Button, Checkbox, PasswordInput, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { PROGRAM_SCOPES, SCOPE_WORDS } from '@relay/core/policy/scopes';
import { needsOwnerToken, relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Secret } from './secret.tsx';
import classes from './tools.module.css';

const USUAL = ['messages:read', 'messages:send', 'search:read'];

export function NewToken() {
  const isGone = useIsGone();
  const form = useForm({
    initialValues: { name: '', scopes: USUAL, confirm: true, ownerToken: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'Give it a name.' : null),
      scopes: (scopes) => (scopes.length === 0 ? 'Choose at least one.' : null),
    },
  });
  const create = useAct({
    act: ({ scopes, ownerToken, ...rest }: typeof form.values) =>
      relay.post('/api/tokens', {
        header: ownerToken === '' ? {} : { 'relay-owner-token': ownerToken },
        body: { ...rest, scopes: PROGRAM_SCOPES.filter((scope) => scopes.includes(scope)) },
      }),
    touches: ['tokens'],
    quiet: true,
    onDone: () => form.reset(),
  });
  const refusal = create.error && sentenceOf(create.error);
  const refusedOwner = needsOwnerToken(create.error);
  if (create.data) {
    return (
      <div className={classes.form}>
        <Secret
          secret={create.data.secret}
          says={`The token of ${create.data.name}: put it into RELAY_TOKEN for \`relay mcp\`, or send it as a bearer to ${location.origin}/mcp.`}
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
        label="Name of the program"
        placeholder="Claude Desktop"
        {...form.getInputProps('name')}
        error={form.errors.name ?? (refusedOwner ? null : refusal)}
      />
      <Checkbox.Group label="What it may do" {...form.getInputProps('scopes')}>
        {PROGRAM_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            value={scope}
            label={scope}
            description={SCOPE_WORDS[scope]}
            mt={8}
          />
        ))}
      </Checkbox.Group>
      <Switch
        label="Ask before it sends"
        description="The program asks whoever sits at it; one that cannot ask gets an approval instead."
        {...form.getInputProps('confirm', { type: 'checkbox' })}
      />
      {(refusedOwner || form.values.ownerToken !== '') && (
        <PasswordInput
          label="Your own token"
          description="`relay token` prints it. It is used for this once and not kept."
          autoComplete="off"
          {...form.getInputProps('ownerToken')}
          error={refusedOwner && refusal}
        />
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={create.isPending}>
          Make token
        </Button>
      </div>
    </form>
  );
}
