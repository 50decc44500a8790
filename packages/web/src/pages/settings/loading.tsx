// In the shape of the cards, until they are there.
import parts from '../../parts/parts.module.css';
import { LoadingLines } from '../../parts/places.tsx';
import classes from './settings.module.css';

export function LoadingCards() {
  return (
    <div className={classes.cards}>
      {['pacing', 'answers', 'budget', 'groups'].map((card) => (
        <div key={card} className={`${parts.card} ${classes.loading}`}>
          <LoadingLines lines={5} />
        </div>
      ))}
    </div>
  );
}
