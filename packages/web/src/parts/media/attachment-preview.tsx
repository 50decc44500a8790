// The file that the owner is about to send: its picture, or its name, type and size, and a button that removes it.
import { CloseButton } from '@mantine/core';
import { revealHidden } from '@relay/core/messages/text';
import { useEffect, useState } from 'react';
import { t } from '../../i18n.ts';
import classes from './media.module.css';
import { fileTypeLabel, formatFileSize, isPicture } from './media-files.ts';
import { FileIcon } from './message-media.tsx';

interface AttachmentPreviewProps {
  readonly file: File;
  readonly isBusy: boolean;
  onRemove(): void;
}

/** Larger pictures are sent, but not shown first: the page would hold them twice. */
const LARGEST_SHOWN = 8_000_000;

export function AttachmentPreview({ file, isBusy, onRemove }: AttachmentPreviewProps) {
  const picture = usePicture(file);
  const name = revealHidden(file.name);
  return (
    <div className={classes.file} data-attachment>
      {picture === null ? <FileIcon /> : <img className={classes.small} src={picture} alt="" />}
      <span className={classes.fileName}>
        <b dir="auto">{name}</b>
        <span>
          {[fileTypeLabel(file.name, file.type), formatFileSize(file.size)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </span>
      <CloseButton
        aria-label={t('media.attachment.remove', { name })}
        disabled={isBusy}
        onClick={onRemove}
      />
    </div>
  );
}

/** As a data URL: the content policy allows no other address of a file that is only in the page. */
function usePicture(file: File): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    setUrl(null);
    if (!isPicture(file.type) || file.size > LARGEST_SHOWN) return;
    const reader = new FileReader();
    reader.onload = () => setUrl(typeof reader.result === 'string' ? reader.result : null);
    reader.readAsDataURL(file);
    return () => reader.abort();
  }, [file]);
  return url;
}
