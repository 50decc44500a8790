// What an approval would send besides its text: the picture itself, and the file's name, type and size; or the message
// that it would react to, change or delete.
import type { Approval } from '@relay/contract/api/approvals';
import { revealHidden } from '@relay/core/messages/text';
import { useEffect, useEffectEvent, useState } from 'react';
import { t } from '../../i18n.ts';
import classes from './media.module.css';
import { isPicture } from './media-files.ts';
import { FileCard } from './message-media.tsx';
import { Photo } from './photo.tsx';

interface OutgoingContentProps {
  readonly approval: Pick<Approval, 'content' | 'media' | 'target' | 'text'>;
  /** Called once all of it is on the page, the picture included. */
  onShown(): void;
}

export function OutgoingContentView({ approval, onShown }: OutgoingContentProps) {
  const { content, media, target, text } = approval;
  const waits = media !== undefined && isShownAsPicture(media);
  const shown = useEffectEvent(onShown);
  useEffect(() => {
    if (!waits) shown();
  }, [waits]);
  return (
    <div className={classes.outgoing}>
      {media !== undefined && <OutgoingFile media={media} caption={text} onShown={onShown} />}
      {media === undefined && content !== undefined && (
        <p className={classes.prose} dir="auto">
          {revealHidden(content)}
        </p>
      )}
      {target !== undefined && (
        <figure className={classes.transcript}>
          <blockquote dir="auto">{revealHidden(target.text)}</blockquote>
          <figcaption>{t(target.from_me ? 'media.target.own' : 'media.target.theirs')}</figcaption>
        </figure>
      )}
    </div>
  );
}

interface OutgoingFileProps {
  readonly media: NonNullable<Approval['media']>;
  readonly caption: string;
  onShown(): void;
}

const isShownAsPicture = ({ kind, mimetype }: NonNullable<Approval['media']>): boolean =>
  kind === 'image' && isPicture(mimetype);

function OutgoingFile({ media, caption, onShown }: OutgoingFileProps) {
  const [isBroken, setBroken] = useState(false);
  const { id, kind, mimetype, file_name, ...file } = media;
  return (
    <>
      {isShownAsPicture(media) && !isBroken && (
        <Photo
          media={{ id, kind: 'image' }}
          by={null}
          caption={caption}
          onLoad={onShown}
          onBroken={() => {
            setBroken(true);
            onShown();
          }}
        />
      )}
      <FileCard
        media={{
          ...file,
          id,
          kind,
          mimetype,
          state: 'stored',
          ...(file_name === null ? {} : { file_name }),
        }}
      />
    </>
  );
}
