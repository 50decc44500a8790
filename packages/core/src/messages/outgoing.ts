// Outgoing content in words, for approvals, transcripts and confirmations: what a message is besides its text.
import type { SendableKind } from '@relay/contract/api/media';
import type { OutgoingContent } from '@relay/contract/api/outgoing';

const FILES: Readonly<Record<SendableKind, string>> = {
  image: 'Photo',
  voice: 'Voice message',
  audio: 'Audio file',
  video: 'Video',
  document: 'Document',
};

/** Everything about the content that a person decides on, on one line for each part. */
export function describeContent(content: OutgoingContent): string {
  switch (content.kind) {
    case 'media': {
      const { as, file_name: name, mimetype, bytes } = content;
      return `${FILES[as]}${name === null ? '' : ` “${name}”`} (${mimetype}, ${describeSize(bytes)})`;
    }
    case 'reaction':
      return content.emoji === ''
        ? 'Removes the reaction to a message'
        : `Reaction ${content.emoji} to a message`;
    case 'edit':
      return 'Replaces the text of an earlier message';
    case 'delete':
      return 'Deletes an earlier message for everyone';
    case 'poll': {
      const { question, options, select_up_to: most } = content;
      return [`Poll: ${question}`, ...options.map((option) => `- ${option}`), choices(most)].join(
        '\n',
      );
    }
    case 'location': {
      const { name, address, latitude, longitude } = content;
      const place = [name, address].filter((part) => part !== null).join(', ');
      return `Location: ${place === '' ? '' : `${place} `}(${latitude}, ${longitude})`;
    }
  }
}

const choices = (most: number): string => {
  if (most === 1) return 'One answer each.';
  return most === 0 ? 'Any number of answers each.' : `Up to ${most} answers each.`;
};

const KB = 1_000;

const describeSize = (bytes: number): string => {
  if (bytes < KB) return `${bytes} bytes`;
  return bytes < KB * KB ? `${Math.round(bytes / KB)} KB` : `${(bytes / KB / KB).toFixed(1)} MB`;
};

/** The content and the text, as a transcript or a confirmation shows them. */
export const withContent = (text: string, content: OutgoingContent | null | undefined): string =>
  content == null
    ? text
    : [`[${describeContent(content)}]`, text].filter((part) => part !== '').join('\n');

/** The text in the content: names, questions and options. It is checked like the text of a message. */
export function textInContent(content: OutgoingContent): string {
  switch (content.kind) {
    case 'media':
      return content.file_name ?? '';
    case 'reaction':
      return content.emoji;
    case 'poll':
      return [content.question, ...content.options].join('\n');
    case 'location':
      return [content.name, content.address].filter((part) => part !== null).join('\n');
    case 'edit':
    case 'delete':
      return '';
  }
}

/** Whether a text or a caption is sent with it; without content, the message is its text. */
export function hasText(content: OutgoingContent | null | undefined): boolean {
  if (content == null || content.kind === 'edit') return true;
  return content.kind === 'media' && content.as !== 'voice' && content.as !== 'audio';
}

/** The message that it changes or refers to; null for content of its own. */
export function targetMessageId(content: OutgoingContent): string | null {
  if (content.kind === 'reaction') return content.to;
  return content.kind === 'edit' || content.kind === 'delete' ? content.of : null;
}
