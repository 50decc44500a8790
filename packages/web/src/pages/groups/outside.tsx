// Whether digests also go to a memory outside of Relay, and where; it is set up in the settings.
import { IconFolderShare } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Card } from '../../parts/card.tsx';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import { Iconed } from './iconed.tsx';
import { outsideMemoryQuery } from './queries.ts';

export function OutsideCard() {
  const outside = useQuery(outsideMemoryQuery);
  return (
    <Card
      title={<Iconed icon={IconFolderShare}>Outside memory</Iconed>}
      aside={
        <Link className="small" to="/settings">
          Set up
        </Link>
      }
    >
      <Asked query={outside} what="The outside memory" loading={<LoadingLines lines={2} />}>
        {({ folder, webhook_url, hourly }) => (
          <p className="small dim">
            {folder === null && webhook_url === null ? (
              'Digests stay in Relay.'
            ) : (
              <>
                Digests {hourly ? 'of hours and days' : 'of days'} also go to{' '}
                {[folder, webhook_url]
                  .filter((place) => place !== null)
                  .map((place, n) => (
                    <span key={place}>
                      {n > 0 && ' and '}
                      <code>{place}</code>
                    </span>
                  ))}
                .
              </>
            )}
          </p>
        )}
      </Asked>
    </Card>
  );
}
