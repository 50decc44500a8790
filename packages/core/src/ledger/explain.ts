// Why: the one sentence about a message.
import { inboundSentence } from './inbound.ts';
import { outboundSentence } from './outbound.ts';
import type { Reading, Story } from './story.ts';

export const explain = (story: Story, reading: Reading): string =>
  story.way === 'in' ? inboundSentence(story, reading) : outboundSentence(story, reading);
