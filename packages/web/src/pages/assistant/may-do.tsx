// What the assistant may do, in one sentence and by its tools.
import { IconTools } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { settingsQuery, statusQuery } from '../../data/queries.ts';
import { Card } from '../../parts/card.tsx';
import classes from './assistant.module.css';
import { TOOLS } from './steps.ts';

/** The same act in two shapes is told once. */
const SHOWN = Object.entries(TOOLS).filter(([name]) => name !== 'whatsapp_send_message');

export function MayDo() {
  const { data: status } = useQuery(statusQuery);
  const { data: settings } = useQuery(settingsQuery);
  const isUp = status?.whatsapp_connected ?? true;
  const isThere = (name: string) =>
    name === 'web_search' ? (settings?.web_search.has_key ?? true) : isUp || name === 'get_digest';
  return (
    <Card title="What it may do" mark={<IconTools size={17} stroke={1.7} aria-hidden />}>
      <p className="small dim">
        It reads only whom you let be read, and asks you before anything leaves or opens.
        {!isUp && ' WhatsApp is not connected, so most of its tools are off.'}
      </p>
      <ul className={classes.tools}>
        {SHOWN.map(([name, { icon: Icon, can }]) => (
          <li key={name} data-off={!isThere(name) || undefined}>
            <Icon size={15} stroke={1.7} aria-hidden />
            {can}
            {!isThere(name) && <small>{name === 'web_search' ? 'no key' : 'off'}</small>}
          </li>
        ))}
      </ul>
    </Card>
  );
}
