// The file of a message, or the place, poll or contacts that it is. Names and texts in it are a stranger's: they are
// plain text, and a file is shown only if it is a picture or a recording.
import type { MediaBody } from '@relay/contract/api/media';
import type { ReceivedContent } from '@relay/contract/api/received';
import { revealHidden } from '@relay/core/messages/text';
import { IconDownload, IconFile, IconPhotoOff } from '@tabler/icons-react';
import { useState } from 'react';
import { isolate, t } from '../../i18n.ts';
import { ContactsCard, LocationCard, PollCard } from './cards.tsx';
import classes from './media.module.css';
import {
  fileTypeLabel,
  formatFileSize,
  isPicture,
  isPlayable,
  isVideo,
  mediaUrl,
} from './media-files.ts';
import { Photo } from './photo.tsx';
import { VoicePlayer } from './voice-player.tsx';

export interface MessageMediaProps {
  readonly media: MediaBody | null;
  readonly content: ReceivedContent | null;
  /** Who sent it, for screen readers. */
  readonly by: string;
  readonly caption: string;
}

export function MessageMedia({ media, content, by, caption }: MessageMediaProps) {
  if (media !== null) return <MediaFile media={media} by={by} caption={caption} />;
  if (content?.kind === 'location') return <LocationCard location={content} />;
  if (content?.kind === 'poll') return <PollCard poll={content} />;
  if (content?.kind === 'contacts') return <ContactsCard contacts={content.contacts} />;
  if (content?.kind === 'view_once') return <p className={classes.state}>{t('media.viewOnce')}</p>;
  return null;
}

interface MediaFileProps {
  readonly media: MediaBody;
  readonly by: string;
  readonly caption: string;
}

function MediaFile({ media, by, caption }: MediaFileProps) {
  const [isBroken, setBroken] = useState(false);
  if (media.state !== 'stored') return <NotStored media={media} />;
  const isShown = media.kind === 'image' || media.kind === 'sticker';
  return (
    <>
      {isShown && isPicture(media.mimetype) && !isBroken ? (
        <Photo media={media} by={by} caption={caption} onBroken={() => setBroken(true)} />
      ) : isPlayable(media) ? (
        <VoicePlayer key={media.id} media={media} by={by} />
      ) : isVideo(media) && !isBroken ? (
        <>
          {/* Nothing of a stranger's video is loaded before it is played. */}
          {/* biome-ignore lint/a11y/useMediaCaption: messages have no captions */}
          <video
            className={classes.video}
            src={mediaUrl(media.id)}
            controls
            preload="none"
            aria-label={t('media.video.by', { name: by })}
            onError={() => setBroken(true)}
          />
          <FileCard media={media} />
        </>
      ) : (
        <FileCard media={media} />
      )}
      {media.transcript !== undefined && (
        <figure className={classes.transcript}>
          <blockquote dir="auto" lang={media.language}>
            {revealHidden(media.transcript) || t('media.transcript.empty')}
          </blockquote>
          <figcaption>{t('media.transcript')}</figcaption>
        </figure>
      )}
    </>
  );
}

/** The name, type and size, and a link that saves the file and never opens it here. */
export function FileCard({ media }: { readonly media: MediaBody }) {
  const { id, kind, bytes, file_name, mimetype } = media;
  const name = file_name === undefined ? t(`media.kind.${kind}`) : revealHidden(file_name);
  const size = bytes === null ? null : formatFileSize(bytes);
  return (
    <div className={classes.file}>
      <FileIcon />
      <span className={classes.fileName}>
        <b dir="auto">{name}</b>
        <span>
          {[fileTypeLabel(file_name ?? null, mimetype), size && isolate(size)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </span>
      <a
        className={classes.round}
        href={mediaUrl(id)}
        download=""
        aria-label={t('media.download', { name })}
        title={t('media.download', { name })}
      >
        <IconDownload size={18} aria-hidden />
      </a>
    </div>
  );
}

export const FileIcon = () => (
  <span className={classes.fileIcon}>
    <IconFile size={20} stroke={1.6} aria-hidden />
  </span>
);

const REFUSALS = ['no_read_grant', 'too_large', 'quota'] as const;

function NotStored({
  media: { kind, state, reason, file_name, bytes },
}: Pick<MediaFileProps, 'media'>) {
  const known = REFUSALS.find((one) => one === reason);
  const details = [
    file_name === undefined ? null : revealHidden(file_name),
    bytes === null ? null : formatFileSize(bytes),
  ];
  return (
    <div className={classes.file} data-off>
      <span className={classes.fileIcon}>
        <IconPhotoOff size={20} stroke={1.6} aria-hidden />
      </span>
      <span className={classes.fileName}>
        <b dir="auto">{[t(`media.kind.${kind}`), ...details].filter(Boolean).join(' · ')}</b>
        <span>
          {state === 'refused' && known !== undefined
            ? t(`media.refused.${known}`)
            : state !== 'stored' && t(`media.state.${state}`)}
        </span>
      </span>
    </div>
  );
}
