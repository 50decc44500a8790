// The results, best first: each with surrounding lines, how it was found, and links to its place and its reasons. Text
// of others stays plain text; marks are elements around parts of it.
import type { FoundMessage, SearchLine } from '@relay/contract/api/search';
import type { HighlightPiece } from '@relay/core/search/query';
import { IconMessage, IconNotebook, IconUsersGroup } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { formatMoment } from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { WhyLink } from '../../parts/links.tsx';
import parts from '../../parts/parts.module.css';
import { hitKeys, matchText, sourceLabel } from './copy.ts';
import { highlightExcerpt } from './excerpt.ts';
import classes from './search.module.css';

interface SearchResultsProps {
  readonly hits: readonly FoundMessage[];
  readonly question: string;
}

export function SearchResults({ hits, question }: SearchResultsProps) {
  const now = useNow(60_000);
  const keys = hitKeys(hits);
  return (
    <ol className={parts.rows}>
      {hits.map((hit, index) => (
        <Result key={keys[index]} hit={hit} question={question} now={now} />
      ))}
    </ol>
  );
}

interface ResultProps {
  readonly hit: FoundMessage;
  readonly question: string;
  readonly now: number;
}

function Result({ hit, question, now }: ResultProps) {
  const pieces = useMemo(
    () => highlightExcerpt(hit.text, question, now),
    [hit.text, question, now],
  );
  const Icon =
    hit.source !== 'message' ? IconNotebook : hit.is_group ? IconUsersGroup : IconMessage;
  const who = hit.from_me ? t('common.you') : hit.from_name;
  return (
    <li className={classes.hit}>
      <Initials name={hit.chat_name} />
      <div>
        <p className={classes.hitHead}>
          <b dir="auto">{hit.chat_name}</b>
          <span className="dim small">
            <Icon size={14} stroke={1.8} aria-hidden />
            {sourceLabel(hit)}
          </span>
          <time className="dim small" dateTime={hit.at}>
            {formatMoment(hit.at, now)}
          </time>
        </p>
        {hit.before && <ContextLine line={hit.before} />}
        <HitLink hit={hit}>
          {(hit.is_group || hit.from_me) && hit.source === 'message' && (
            <span className="dim">
              <bdi>{who}</bdi>:{' '}
            </span>
          )}
          <Marks pieces={pieces} />
        </HitLink>
        {hit.after && <ContextLine line={hit.after} />}
        <p className={classes.hitFoot}>
          <span className="dim">{matchText(hit)}</span>
          {hit.source === 'message' && <WhyLink message={hit.message_id} chat={hit.chat_id} />}
        </p>
      </div>
    </li>
  );
}

/** A message links to its chat, a digest to its group. */
function HitLink({ hit, children }: { readonly hit: FoundMessage; readonly children: ReactNode }) {
  const { chat_id: id, source } = hit;
  return (
    <p className={classes.said} dir="auto">
      {source === 'message' ? (
        <Link to="/chats/$id" params={{ id }} search={{ message: hit.message_id }}>
          {children}
        </Link>
      ) : (
        <Link to="/groups/$id" params={{ id }}>
          {children}
        </Link>
      )}
    </p>
  );
}

const ContextLine = ({ line }: { readonly line: SearchLine }) => (
  <p className={classes.around} dir="auto">
    <bdi>{line.from_me ? t('common.you') : line.from_name}</bdi>: {line.text}
  </p>
);

const Marks = ({ pieces }: { readonly pieces: readonly HighlightPiece[] }) =>
  pieces.map(({ text, found }, index) =>
    found ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text keep their places
      <mark key={index}>{text}</mark>
    ) : (
      text
    ),
  );
