// Summaries in the demo: of a chat for its owner, and the notes of a long conversation.
import type { ChatRequest, Reply } from '../schemas.ts';
import { newestUserText, systemText } from '../transcript.ts';
import { reportMessage } from './assistant.ts';
import { contactText } from './contact-text.ts';

const MOST_LINES = 6;
const LONGEST_NOTES = 600;

/** Undefined if the request does not ask for a summary. */
export function playSummary(request: ChatRequest): Reply | undefined {
  const system = systemText(request);
  const text = newestUserText(request);
  if (system.startsWith('Sum up the chat below')) return { text: summarizeChat(text) };
  if (!system.startsWith('You keep the notes of a WhatsApp conversation')) return undefined;
  const said = contactText(text).replace(/\s+/g, ' ').slice(-LONGEST_NOTES);
  return { text: said === '' ? 'No answers yet.' : `The contact wrote: ${said}` };
}

function summarizeChat(text: string): string {
  const lines = text.split('\n').flatMap((line) => {
    const [, who, words] = /^\[[^\]]+\] ([^:]{1,80}): (.+)$/.exec(line) ?? [];
    return who === undefined || words === undefined ? [] : [{ who, words }];
  });
  const last = lines.at(-1);
  if (last === undefined) return 'There are no messages in this chat yet.';
  const told = lines
    .slice(-MOST_LINES)
    .map(({ who, words }) => `- ${reportMessage(who === OWNER ? 'You' : who, words)}`);
  const open = last.who === OWNER ? 'Nothing is open.' : `Open: a reply to ${last.who}.`;
  return [...told, '', open].join('\n');
}

/** As the prompt names them. */
const OWNER = 'the owner';
