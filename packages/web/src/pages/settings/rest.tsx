// Everything else that is a setting, so that nothing is hidden: its value, where it comes from, and what to do to change it.
import type { SettingShown, ShownSettings } from '@relay/core/api/settings';
import { Link } from '@tanstack/react-router';
import { Card } from '../../parts/card.tsx';
import { restOf } from './sections.ts';
import classes from './settings.module.css';
import { changeWords, sourceWords, valueWords, wordsOf } from './words.ts';

export function RestCard({ shown }: { readonly shown: ShownSettings }) {
  return (
    <Card title="Everything else">
      <p className="small dim">
        Changed in <code>{shown.file}</code> or where it says; then <code>relay stop</code> and{' '}
        <code>relay start</code>.
      </p>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
            <th scope="col">To change it</th>
          </tr>
        </thead>
        <tbody>
          {restOf(shown.settings).map((setting) => (
            <Row key={setting.name} setting={setting} />
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Row({ setting }: { readonly setting: SettingShown }) {
  const { label, says, unit } = wordsOf(setting.name);
  return (
    <tr>
      <th scope="row">
        {label}
        <small>
          <code>{setting.name}</code> {says}
        </small>
      </th>
      <td className="num">{valueWords(setting.value, unit)}</td>
      <td>{sourceWords(setting)}</td>
      <td className="dim">
        {setting.changes === 'elsewhere' && setting.from !== 'environment' ? (
          <Elsewhere name={setting.name} />
        ) : (
          changeWords(setting)
        )}
      </td>
    </tr>
  );
}

function Elsewhere({ name }: { readonly name: string }) {
  if (name.startsWith('model_')) return <Link to="/tools">Under Tools, Model</Link>;
  return <>On its card above.</>;
}
