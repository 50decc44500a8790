// Says on every page of a demo that it is one. The daemon knows it by the network that it is on.
import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../data/queries.ts';
import classes from './shell.module.css';

export function DemoStrip() {
  const { data: status } = useQuery(statusQuery);
  if (status?.demo !== true) return null;
  return (
    <p className={classes.demo}>
      <b>Demo:</b> no phone, no model key, nothing is real.
    </p>
  );
}
