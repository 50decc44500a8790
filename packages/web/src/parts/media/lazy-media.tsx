// Loads what shows files, places and polls only once a message has one: pages without them stay small.
import { lazy, type ReactNode, Suspense } from 'react';
import { loadWhenReachable } from '../../data/lazy-load.ts';
import { loadMessages } from '../../i18n.ts';
import type { MessageMediaProps } from './message-media.tsx';

/** A part together with its texts. */
const withTexts = <Part,>(load: () => Promise<Part>): Promise<Part> =>
  loadWhenReachable(() => Promise.all([load(), loadMessages('media')])).then(([part]) => part);

const MessageMediaPart = lazy(() =>
  withTexts(() => import('./message-media.tsx')).then((part) => ({ default: part.MessageMedia })),
);
const AttachmentPart = lazy(() =>
  withTexts(() => import('./attachment-preview.tsx')).then((part) => ({
    default: part.AttachmentPreview,
  })),
);
const OutgoingPart = lazy(() =>
  withTexts(() => import('./outgoing-content.tsx')).then((part) => ({
    default: part.OutgoingContentView,
  })),
);

interface WhileLoading {
  readonly fallback?: ReactNode;
}

export const LazyMessageMedia = ({ fallback, ...props }: MessageMediaProps & WhileLoading) => (
  <Suspense fallback={fallback}>
    <MessageMediaPart {...props} />
  </Suspense>
);

type AttachmentProps = Parameters<typeof AttachmentPart>[0];
export const LazyAttachmentPreview = ({ fallback, ...props }: AttachmentProps & WhileLoading) => (
  <Suspense fallback={fallback}>
    <AttachmentPart {...props} />
  </Suspense>
);

type OutgoingProps = Parameters<typeof OutgoingPart>[0];
export const LazyOutgoingContent = ({ fallback, ...props }: OutgoingProps & WhileLoading) => (
  <Suspense fallback={fallback}>
    <OutgoingPart {...props} />
  </Suspense>
);
