// A photo or a sticker: a small view of fixed size, so that nothing moves when it loads, and the whole picture on
// click.
import { Modal } from '@mantine/core';
import type { MediaBody } from '@relay/contract/api/media';
import { revealHidden } from '@relay/core/messages/text';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../i18n.ts';
import classes from './media.module.css';
import { mediaUrl } from './media-files.ts';

interface PhotoProps {
  readonly media: Pick<MediaBody, 'id' | 'kind'>;
  /** Who sent it; null for one that waits to be sent. */
  readonly by: string | null;
  readonly caption: string;
  /** Called once it is on the page. */
  onLoad?: (() => void) | undefined;
  /** The browser cannot decode it. */
  onBroken(): void;
}

export function Photo({ media: { id, kind }, by, caption, onLoad, onBroken }: PhotoProps) {
  const [isOpen, setOpen] = useState(false);
  const alt = photoText(kind, by, caption);
  if (kind === 'sticker') {
    return (
      <img
        className={classes.sticker}
        src={mediaUrl(id)}
        alt={alt}
        loading="lazy"
        onError={onBroken}
      />
    );
  }
  return (
    <>
      <button
        type="button"
        className={classes.thumb}
        aria-label={t('media.photo.open', { photo: alt })}
        onClick={() => setOpen(true)}
      >
        <img
          src={mediaUrl(id)}
          alt=""
          loading="lazy"
          decoding="async"
          onLoad={onLoad}
          onError={onBroken}
        />
      </button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        size="auto"
        centered
        title={by === null ? t('media.kind.image') : t('media.photo.by', { name: by })}
        closeButtonProps={{ 'aria-label': t('common.action.close') }}
        classNames={{ content: classes.lightbox ?? '', body: classes.lightboxBody ?? '' }}
      >
        <img src={mediaUrl(id)} alt={alt} />
        <div className={classes.lightboxFoot}>
          {caption !== '' && <p dir="auto">{revealHidden(caption)}</p>}
          <a href={mediaUrl(id)} download="">
            <IconDownload size={16} aria-hidden /> {t('media.photo.download')}
          </a>
        </div>
      </Modal>
    </>
  );
}

function photoText(kind: MediaBody['kind'], by: string | null, caption: string): string {
  if (kind === 'sticker') return t('media.sticker.by', { name: by ?? t('common.you') });
  const photo = by === null ? t('media.kind.image') : t('media.photo.by', { name: by });
  return caption === ''
    ? photo
    : t('media.photo.captioned', { photo, caption: revealHidden(caption) });
}
