// A place, a poll or contacts in a message. Everything in them is a stranger's text.
import type { ReceivedContent } from '@relay/contract/api/received';
import { revealHidden } from '@relay/core/messages/text';
import { IconChartBar, IconMapPin, IconUser } from '@tabler/icons-react';
import { formatLocale, t } from '../../i18n.ts';
import classes from './media.module.css';

type Of<Kind extends ReceivedContent['kind']> = Extract<ReceivedContent, { readonly kind: Kind }>;

type Place = Pick<Of<'location'>, 'latitude' | 'longitude' | 'name' | 'address'>;

const degrees = (value: number): string =>
  new Intl.NumberFormat(formatLocale(), { maximumFractionDigits: 5 }).format(value);

/** The map is only opened by the reader: nothing is loaded from it. */
const mapUrl = ({ latitude, longitude }: Place): string =>
  `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;

export function LocationCard({
  location,
}: {
  readonly location: Place & { readonly live?: boolean };
}) {
  const { latitude, longitude, name, address, live = false } = location;
  const point = t('media.location.point', {
    latitude: degrees(latitude),
    longitude: degrees(longitude),
  });
  return (
    <div className={classes.card}>
      <p className={classes.cardKind}>
        <IconMapPin size={16} aria-hidden /> {t(live ? 'media.location.live' : 'media.location')}
      </p>
      {name !== null && name !== '' && <b dir="auto">{revealHidden(name)}</b>}
      {address !== null && address !== '' && <span dir="auto">{revealHidden(address)}</span>}
      <span className={classes.dim}>{point}</span>
      <a href={mapUrl(location)} target="_blank" rel="noreferrer noopener">
        {t('media.location.map')}
      </a>
    </div>
  );
}

type Poll = Pick<Of<'poll'>, 'question' | 'options' | 'select_up_to'>;

export function PollCard({ poll: { question, options, select_up_to } }: { readonly poll: Poll }) {
  return (
    <div className={classes.card}>
      <p className={classes.cardKind}>
        <IconChartBar size={16} aria-hidden />{' '}
        {select_up_to === 0 ? t('media.poll.any') : t('media.poll.upTo', { count: select_up_to })}
      </p>
      <b dir="auto">{revealHidden(question)}</b>
      <ul>
        {options.map((option) => (
          <li key={option} dir="auto">
            {revealHidden(option)}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function ContactsCard({ contacts }: Pick<Of<'contacts'>, 'contacts'>) {
  return (
    <div className={classes.card}>
      <p className={classes.cardKind}>
        <IconUser size={16} aria-hidden /> {t('media.contacts', { count: contacts.length })}
      </p>
      <ul>
        {contacts.map(({ name, phone_numbers }) => (
          <li key={`${name} ${phone_numbers.join()}`}>
            <b dir="auto">{revealHidden(name)}</b>{' '}
            <span className={classes.dim}>{phone_numbers.map(revealHidden).join(', ')}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
