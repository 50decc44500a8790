// In the shape of a group and its day, until they are there.
import { Skeleton } from '@mantine/core';
import parts from '../../parts/parts.module.css';
import { LoadingLines, LoadingRows } from '../../parts/places.tsx';
import classes from './groups.module.css';

export function LoadingGroup() {
  return (
    <div
      className={`${classes.page} ${parts.late}`}
      role="status"
      aria-busy="true"
      aria-label="Loading"
    >
      <div className={classes.side}>
        {[0, 1, 2].map((row) => (
          <Skeleton key={row} height={52} radius={10} mb={6} />
        ))}
      </div>
      <div className={classes.main}>
        <Skeleton width={260} height={42} mb={14} />
        <div className={`${parts.card} ${parts.cardBody}`}>
          <LoadingLines lines={2} />
        </div>
        <div className={parts.card}>
          <LoadingRows rows={3} />
        </div>
      </div>
    </div>
  );
}
