// The list behind `?`: keys of the current page and of the shell, and the switch for all of them.
import { Switch } from '@mantine/core';
import {
  COMMAND_KEY,
  type DeclaredKeys,
  keyLabels,
  setLetterKeysOn,
  useAreLetterKeysOn,
} from './keyboard.ts';
import classes from './keys-list.module.css';

export function KeysList({ declared }: { readonly declared: readonly DeclaredKeys[] }) {
  const isOn = useAreLetterKeysOn();
  const here = declared.filter(({ scope }) => scope === 'page');
  const everywhere = declared.filter(({ scope }) => scope === 'everywhere');
  return (
    <>
      {here.length > 0 && <Rows title="On this page" rows={here} />}
      <Rows title="Everywhere" rows={everywhere}>
        <Row keys={[COMMAND_KEY]} words="Find or do" />
      </Rows>
      <Switch
        className={classes.switch ?? ''}
        checked={isOn}
        onChange={({ currentTarget }) => setLetterKeysOn(currentTarget.checked)}
        label="Letter keys"
        description={`They rest while you type. Switched off, this list is under ${COMMAND_KEY}.`}
      />
    </>
  );
}

interface RowsProps {
  readonly title: string;
  readonly rows: readonly DeclaredKeys[];
  readonly children?: React.ReactNode;
}

function Rows({ title, rows, children }: RowsProps) {
  return (
    <section className={classes.group}>
      <h3>{title}</h3>
      <dl>
        {rows.map(({ description, keys }) => (
          <Row key={description} keys={keyLabels(keys)} words={description} />
        ))}
        {children}
      </dl>
    </section>
  );
}

function Row({ keys, words }: { readonly keys: readonly string[]; readonly words: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{words}</dd>
    </div>
  );
}
