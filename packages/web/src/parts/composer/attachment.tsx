// A file that is sent with a message: chosen, pasted or dropped. It is uploaded when the message is sent, once.
import { ActionIcon } from '@mantine/core';
import type { SendableKind } from '@relay/contract/api/media';
import { IconPaperclip } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { uploadFile } from '../../data/relay.ts';
import { t } from '../../i18n.ts';
import { LazyAttachmentPreview } from '../media/lazy-media.tsx';
import classes from './composer.module.css';

export interface AttachedMedia {
  readonly id: string;
  readonly kind: SendableKind;
}

interface ChosenFile {
  readonly file: File;
  /** Tells files apart: a retry with the same file is the same message. */
  readonly key: string;
}

export function useAttachment(isOn: boolean) {
  const [attachment, setAttachment] = useState<ChosenFile | null>(null);
  const [isDragging, setDragging] = useState(false);
  const uploaded = useRef<{ readonly key: string; readonly id: string } | null>(null);
  const add = (files: FileList): boolean => {
    const [file] = files;
    if (!isOn || file === undefined) return false;
    setAttachment({ file, key: crypto.randomUUID() });
    return true;
  };
  const drop = useEffectEvent((files: FileList) => add(files));
  useEffect(() => {
    if (!isOn) return;
    const hasFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
    // On the whole page: a file that misses the field must not open in place of the console.
    const over = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setDragging(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setDragging(false);
    };
    const dropped = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setDragging(false);
      if (event.dataTransfer !== null) drop(event.dataTransfer.files);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', dropped);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', dropped);
    };
  }, [isOn]);
  return {
    isOn,
    file: attachment?.file ?? null,
    key: attachment === null ? '' : ` ${attachment.key}`,
    isDragging,
    add,
    remove: () => setAttachment(null),
    async upload(): Promise<AttachedMedia | null> {
      if (attachment === null) return null;
      const { file, key } = attachment;
      if (uploaded.current?.key !== key)
        uploaded.current = { key, id: (await uploadFile(file)).id };
      return { id: uploaded.current.id, kind: sendableKind(file.type) };
    },
  };
}

/** What phones show as a picture, a recording or a film; anything else is sent as a file. */
const KINDS_BY_TYPE: Readonly<Record<string, SendableKind>> = {
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/webp': 'image',
  'video/mp4': 'video',
  'audio/ogg': 'voice',
  'audio/mpeg': 'audio',
  'audio/mp4': 'audio',
  'audio/aac': 'audio',
};

const sendableKind = (type: string): SendableKind =>
  KINDS_BY_TYPE[type.split(';', 1)[0] ?? ''] ?? 'document';

type Attachment = ReturnType<typeof useAttachment>;

interface AttachmentFieldProps {
  readonly attachment: Attachment;
  readonly isBusy: boolean;
  onRemoved(): void;
}

export function AttachmentField({ attachment, isBusy, onRemoved }: AttachmentFieldProps) {
  const { file, isDragging, remove } = attachment;
  return (
    <>
      {file !== null && (
        <LazyAttachmentPreview
          file={file}
          isBusy={isBusy}
          onRemove={() => {
            remove();
            onRemoved();
          }}
          fallback={<span className="small dim">{file.name}</span>}
        />
      )}
      {isDragging && (
        <p className={classes.dropHint} aria-hidden>
          {t('common.composer.attach.drop')}
        </p>
      )}
    </>
  );
}

interface AttachButtonProps {
  readonly attachment: Attachment;
  readonly isOff: boolean;
  onChosen(): void;
}

export function AttachButton({ attachment, isOff, onChosen }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  if (!attachment.isOn) return null;
  return (
    <>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t('common.composer.attach')}
        title={t('common.composer.attach')}
        disabled={isOff}
        onClick={() => input.current?.click()}
      >
        <IconPaperclip size={17} />
      </ActionIcon>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('common.composer.attach')}
        onChange={({ currentTarget }) => {
          if (currentTarget.files !== null && attachment.add(currentTarget.files)) onChosen();
          // The same file can be chosen again after it was removed.
          currentTarget.value = '';
        }}
      />
    </>
  );
}
