// How the link to WhatsApp is, on every page: a light and its word, with the sentence behind it. A daemon that is gone
// goes before everything it last said.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { linkQuery } from '../data/queries.ts';
import { useConnection } from '../data/use-live.ts';
import { useNow } from '../data/use-now.ts';
import { type ConnectionShown, connectionShown, GONE } from '../parts/connection.ts';
import { Light } from '../parts/marks.tsx';
import { phoneNumber } from '../parts/numbers.ts';
import { span, timeOfDay } from '../parts/times.ts';
import classes from './shell.module.css';

interface Shown extends ConnectionShown {
  readonly detail: string;
  readonly age: string;
}

const ASKING = {
  word: 'Asking Relay',
  hue: 'parked',
  sentence: 'Asking Relay how the link is.',
  detail: 'one moment',
  age: '',
} as const;

function useShown(): Pick<Shown, 'word' | 'hue' | 'sentence' | 'detail' | 'age'> {
  const connection = useConnection();
  const { data: link } = useQuery(linkQuery);
  const now = useNow();
  if (connection.is === 'gone') {
    return { ...GONE, detail: 'Relay is not answering', age: timeOfDay(connection.since) };
  }
  if (link === undefined) return ASKING;
  const heard = link.health.lastStanzaAt;
  const up = link.status === 'connected' && heard !== null;
  return {
    ...connectionShown(link, now),
    detail: link.phone === null ? 'no phone linked' : phoneNumber(link.phone),
    age: up ? span(now - Date.parse(heard)) : '',
  };
}

export function ConnectionCard() {
  const { hue, word, sentence, detail, age } = useShown();
  return (
    <Link to="/tools" className={classes.connection} title={sentence}>
      <Light hue={hue} />
      <b>
        {word}
        <span className={`${classes.age} num`} aria-hidden>
          {age}
        </span>
      </b>
      <small className="num">{detail}</small>
      <span className="unseen">{sentence}</span>
    </Link>
  );
}

/** On a phone. */
export function ConnectionLine() {
  const { hue, word, sentence } = useShown();
  return (
    <Link to="/tools" className={classes.line} title={sentence}>
      <Light hue={hue} />
      {word}
    </Link>
  );
}
