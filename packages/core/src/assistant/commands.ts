// Parses slash commands in the assistant's chat. features/assistant runs them; a model never sees them.

/** In the order of `/help`. */
export const SLASH_COMMANDS = {
  help: { usage: '/help', does: 'what you can say here' },
  status: { usage: '/status', does: 'how Relay is and what waits for you' },
  approve: { usage: '/approve [id]', does: 'lets what waits for your yes happen' },
  reject: { usage: '/reject [id] [why]', does: 'says no to it' },
  schedule: { usage: '/schedule [when: text]', does: 'a message for later, or all of them' },
  pause: { usage: '/pause [id]', does: 'pauses a conversation' },
  resume: { usage: '/resume [id]', does: 'lets it go on' },
  digest: { usage: '/digest [group] [day]', does: 'what was said in the groups you observe' },
  stop: { usage: '/stop', does: 'ends what the assistant is doing right now' },
  hold: { usage: '/hold', does: 'stops all sending, whatever was permitted' },
  release: { usage: '/release', does: 'ends the hold' },
  new: { usage: '/new', does: 'begins afresh: nothing said before is remembered' },
} as const;

type SlashCommandName = keyof typeof SLASH_COMMANDS;

export interface SlashCommand {
  /** Null for an unknown command. */
  readonly name: SlashCommandName | null;
  /** The word as typed, without the slash. */
  readonly word: string;
  readonly argument: string;
}

/** Null if the text does not begin with a slash. */
export function parseSlashCommand(text: string): SlashCommand | null {
  const [, word = '', argument = ''] = /^\s*\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  if (!text.trimStart().startsWith('/')) return null;
  const known = word.toLowerCase();
  return {
    name: Object.hasOwn(SLASH_COMMANDS, known) ? (known as SlashCommandName) : null,
    word,
    argument: argument.trim(),
  };
}

/** Splits an argument into its first word and the rest. */
export function splitFirstWord(argument: string): { readonly word: string; readonly rest: string } {
  const [, word = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(argument) ?? [];
  return { word, rest: rest.trim() };
}

export const slashCommandList = (): string =>
  Object.values(SLASH_COMMANDS)
    .map(({ usage, does }) => `${usage}: ${does}`)
    .join('\n');
