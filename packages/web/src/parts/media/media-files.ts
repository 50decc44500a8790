// What a browser may show of a file, and how its size is written. Pure.
import type { MediaBody } from '@relay/contract/api/media';
import { requestAddress } from '../../data/account.ts';
import { formatLocale } from '../../i18n.ts';

export const mediaUrl = (id: string): string => requestAddress(`/api/media/${id}`);

/** What every browser decodes as a picture and nothing else. Anything else is only offered as a file. */
const PICTURES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);

const typeOf = (mimetype: string | null): string => mimetype?.split(';', 1)[0]?.trim() ?? '';

export const isPicture = (mimetype: string | null): boolean => PICTURES.has(typeOf(mimetype));

/** What browsers play. QuickTime files often contain it too; one that cannot be played is offered as a file. */
const VIDEOS = new Set(['video/mp4', 'video/webm', 'video/quicktime']);

export const isVideo = ({ kind, mimetype }: MediaBody): boolean =>
  kind === 'video' && VIDEOS.has(typeOf(mimetype));

/** Longer recordings would fill the memory once they are decoded. */
const LONGEST_S = 30 * 60;
const LARGEST_BYTES = 32_000_000;

export const isPlayable = ({ kind, bytes, seconds, mimetype }: MediaBody): boolean =>
  (kind === 'voice' || kind === 'audio') &&
  typeOf(mimetype).startsWith('audio/') &&
  (seconds ?? 0) <= LONGEST_S &&
  (bytes ?? 0) <= LARGEST_BYTES;

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** `318 kB`, `1.4 MB` */
export function formatFileSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const format = new Intl.NumberFormat(formatLocale(), {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power > 1 ? 1 : 0,
  });
  return format.format(bytes / 1_000 ** power);
}

/** `0:12`, `1:02:03` */
export function formatPlayTime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (n: number) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const rest = two(whole % 60);
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${two(minutes)}:${rest}`;
}

/** `PDF`, from the file's name or its type. */
export function fileTypeLabel(fileName: string | null, mimetype: string | null): string {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(fileName ?? '')?.[1];
  const [, subtype = ''] = typeOf(mimetype).split('/');
  return (extension ?? subtype.split(/[.+-]/).at(-1) ?? '').toUpperCase().slice(0, 8);
}
