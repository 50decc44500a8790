// What the daemon understood, before anything is saved: the next times in the schedule's own zone, with what the clocks
// do in between; or why it cannot be.
import { IconAlertTriangle, IconClock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { sentenceOf } from '../../data/relay.ts';
import { useNow } from '../../data/use-now.ts';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { previewQuery } from './queries.ts';
import classes from './schedules.module.css';
import { timeForYou, timeIn } from './times.ts';
import type { Wish } from './wish.ts';
import { withClockChanges } from './words.ts';

interface PreviewProps {
  readonly wish: Wish | null;
  /** The time of day that was asked for. */
  readonly time: string | null;
}

export function Preview({ wish, time }: PreviewProps) {
  const preview = useQuery(previewQuery(wish));
  const now = useNow(30_000);
  if (wish === null) return null;
  if (preview.isError) {
    return (
      <Note hue="held" icon={IconAlertTriangle} role="status">
        <Sentence text={sentenceOf(preview.error)} />
      </Note>
    );
  }
  if (preview.data === undefined) return <div className={classes.preview} aria-busy />;
  const { words, zone, next } = preview.data;
  return (
    <section className={classes.preview} aria-label="What was understood" aria-live="polite">
      <p>
        <IconClock size={16} stroke={1.7} aria-hidden /> <b>{capital(words)}</b>
      </p>
      <ol>
        {withClockChanges(next, zone, { now, time }).map(({ at, note }) => (
          <li key={at}>
            <time dateTime={at}>{timeIn(zone, at, now)}</time>
            <ForYou text={timeForYou(zone, at, now)} />
            {note !== null && <span className={classes.clock}>{note}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const ForYou = ({ text }: { readonly text: string | null }) =>
  text === null ? null : <span className="dim small num"> · {text}</span>;
