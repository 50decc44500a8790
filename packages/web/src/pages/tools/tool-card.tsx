// A card for one connection other than WhatsApp: name, state and one action.
import { Skeleton } from '@mantine/core';
import { IconAlertTriangle, type TablerIcon } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { readableError } from '../../data/relay.ts';
import { t } from '../../i18n.ts';
import { Badge, Tile } from '../../parts/marks.tsx';
import { Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import type { Hue } from '../../theme/theme.ts';
import classes from './tools.module.css';

interface ToolStatus {
  /** One sentence. */
  readonly sentence: string;
  readonly label: string;
  readonly hue: Hue;
  readonly icon: TablerIcon;
}

interface ToolCardProps<Data> {
  readonly icon: TablerIcon;
  readonly title: string;
  readonly query: UseQueryResult<Data, Error>;
  readonly status: (data: Data) => ToolStatus;
  readonly action: (data: Data) => ReactNode;
}

export function ToolCard<Data>({ icon, title, query, status, action }: ToolCardProps<Data>) {
  const id = useId();
  const { data } = query;
  const current = data === undefined ? null : status(data);
  return (
    <section className={`${parts.card} ${classes.tool}`} aria-labelledby={id}>
      <Tile hue="parked" icon={icon} large />
      <div>
        <h2 id={id}>{title}</h2>
        <p className="small dim">
          {current !== null && <Sentence text={current.sentence} />}
          {current === null && query.isError && <Sentence text={readableError(query.error)} />}
        </p>
        {current === null && query.isPending && <Skeleton width="60%" height={11} mt={6} />}
      </div>
      {current !== null && (
        <Badge hue={current.hue} icon={current.icon}>
          {current.label}
        </Badge>
      )}
      {current === null && query.isError && (
        <Badge hue="bad" icon={IconAlertTriangle}>
          {t('tools.other.unknown')}
        </Badge>
      )}
      {data !== undefined && action(data)}
    </section>
  );
}
