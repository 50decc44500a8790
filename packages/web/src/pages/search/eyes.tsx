// Through whose eyes: the same question asked with the scope of the assistant or of a program. An agent finds only what
// the owner opened for it; to look is no read of theirs.
import type { ProgramToken } from '@relay/core/api/tokens';
import { IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { tokensQuery } from '../../data/queries.ts';
import { Card } from '../../parts/card.tsx';
import { plural } from '../../parts/numbers.ts';
import type { SearchAddress } from './address.ts';
import { canBeAsked, FIRST, foundQuery, MOST } from './queries.ts';
import classes from './search.module.css';
import { countShown } from './words.ts';

interface EyesProps {
  readonly address: SearchAddress;
  onChoose(as: string | undefined): void;
}

const maySearch = ({ scopes }: ProgramToken): boolean => scopes.includes('search:read');

export function Eyes({ address, onChoose }: EyesProps) {
  const { data } = useQuery(tokensQuery);
  const group = useId();
  const eye = (as: string | undefined, name: string, says: string, isOff = false) => (
    <Eye
      key={as ?? 'me'}
      group={group}
      name={name}
      says={says}
      isOff={isOff}
      address={{ ...address, as }}
      isChosen={address.as === as}
      onChoose={() => onChoose(as)}
    />
  );
  return (
    <Card title="Through whose eyes?" mark={<IconEye size={17} stroke={1.7} aria-hidden />}>
      <div className={classes.eyes} role="radiogroup" aria-label="Search as">
        {eye(undefined, 'Me', 'every chat')}
        {eye('assistant', 'My assistant', 'what you let be read, and your own chat')}
        {data?.tokens.map((token) =>
          maySearch(token)
            ? eye(token.id, token.name, reach(token))
            : eye(token.id, token.name, 'its token may not search', true),
        )}
      </div>
      <p className={`${classes.quiet} small dim`}>
        An agent finds only what you opened for it. Choose one to see exactly what it would see.
      </p>
    </Card>
  );
}

const reach = ({ contacts }: ProgramToken): string =>
  contacts === null
    ? 'what you let be read'
    : `of ${plural(contacts.length, 'person', 'people')} only`;

interface EyeProps {
  readonly group: string;
  readonly name: string;
  readonly says: string;
  readonly isOff: boolean;
  readonly address: SearchAddress & { readonly as: string | undefined };
  readonly isChosen: boolean;
  onChoose(): void;
}

function Eye({ group, name, says, isOff, address, isChosen, onChoose }: EyeProps) {
  const asked = foundQuery(address);
  const { data, isPlaceholderData } = useQuery({
    ...asked,
    enabled: !isOff && canBeAsked(address),
  });
  const most = address.all ? MOST : FIRST;
  return (
    <label className={classes.eye} data-chosen={isChosen} data-off={isOff}>
      <input type="radio" name={group} checked={isChosen} onChange={onChoose} disabled={isOff} />
      <span>
        <b dir="auto">{name}</b>
        <small>{says}</small>
      </span>
      <span className="num">
        {canBeAsked(address) && !isPlaceholderData && countShown(data, most)}
      </span>
    </label>
  );
}
