// `relay forget <who>`: erases a person or a group for good. Shows first what would go, and wants the name
// typed; a program says --yes.
import type { ForgetPreview } from '@relay/core/api/retention';
import { RelayApiError } from '@relay/core/client/api-error';
import type { Client } from '@relay/core/client/client';
import { RelayError } from '@relay/core/errors';
import { clientOf, patientClientOf } from '../api.ts';
import type { Run } from '../command.ts';
import { count, oneLine } from '../format.ts';
import { addressOf, nameAndAddress, somebodyKnown } from '../people/find.ts';
import { ask, canAsk } from '../prompt.ts';
import { countLines, receiptLines } from '../retention/words.ts';
import type { Terminal } from '../terminal.ts';

interface Meant {
  readonly preview: ForgetPreview;
  /** What the receipt calls them. */
  readonly who: string;
  /** What has to be typed. */
  readonly typed: string;
}

export const run: Run = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const kind = options.group === true ? 'group' : 'all';
  const meant = await whoIsMeant(client, args[0], kind);
  if (options.yes !== true) {
    if (terminal.json || !canAsk()) {
      throw new RelayError('usage', {
        what: 'Erasing cannot be undone: say --yes, or run it in a terminal and type the name.',
      });
    }
    if (!(await agreed(terminal, meant))) return 1;
  }
  terminal.progress(`Erasing ${meant.who}. This may take a minute …`);
  const receipt = await patientClientOf(config.home).post('/api/forget', {
    body: { id: meant.preview.id },
  });
  if (terminal.json) terminal.give(receipt);
  else for (const line of receiptLines(meant.who, receipt)) terminal.say(line);
  return 0;
};

async function whoIsMeant(
  client: Client,
  given: string | undefined,
  kind: 'group' | 'all',
): Promise<Meant> {
  const previewOf = (id: string) => client.get('/api/forget', { query: { id } });
  try {
    const contact = await somebodyKnown(client, given, kind);
    const preview = await previewOf(contact.id);
    const who = nameAndAddress(contact);
    return { preview, who, typed: oneLine(contact.name ?? addressOf(contact)) };
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== 'contact_unknown') throw error;
    // Somebody who wrote only where notifications or an exported chat were read has a name and no address.
    const name = given?.trim() ?? '';
    const preview = await previewOf(`name:${name}`).catch((refused: unknown) => {
      throw refused instanceof RelayApiError && refused.status === 404 ? error : refused;
    });
    return { preview, who: oneLine(name), typed: oneLine(name) };
  }
}

async function agreed(terminal: Terminal, { preview, who, typed }: Meant): Promise<boolean> {
  terminal.say(`Forgetting ${who} erases for good:`);
  for (const line of countLines(preview.counts)) terminal.say(line);
  if (preview.open_conversations > 0) {
    terminal.say(
      `${count(preview.open_conversations, 'conversation')} in progress would be ended first.`,
    );
  }
  const answer = await ask(`Type ${typed} to erase all of it: `);
  if (answer === typed) return true;
  terminal.progress('Nothing was erased.');
  return false;
}
