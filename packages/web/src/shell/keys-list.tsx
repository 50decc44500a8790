// The list behind `?`: keys of the current page and of the shell, and the switch for all of them.
import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n.ts';
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
      {here.length > 0 && <Rows title={t('common.keys.page')} rows={here} />}
      <Rows title={t('common.keys.everywhere')} rows={everywhere}>
        <Row keys={[COMMAND_KEY]} description={t('common.palette.label')} />
      </Rows>
      <Switch
        className={classes.switch ?? ''}
        checked={isOn}
        onChange={({ currentTarget }) => setLetterKeysOn(currentTarget.checked)}
        label={t('common.keys.switch')}
        description={t('common.keys.switch.text', { key: COMMAND_KEY })}
      />
    </>
  );
}

interface RowsProps {
  readonly title: string;
  readonly rows: readonly DeclaredKeys[];
  readonly children?: ReactNode;
}

function Rows({ title, rows, children }: RowsProps) {
  return (
    <section className={classes.group}>
      <h3>{title}</h3>
      <dl>
        {rows.map(({ description, keys }) => (
          <Row key={description} keys={keyLabels(keys)} description={description} />
        ))}
        {children}
      </dl>
    </section>
  );
}

interface RowProps {
  readonly keys: readonly string[];
  readonly description: string;
}

function Row({ keys, description }: RowProps) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{description}</dd>
    </div>
  );
}
