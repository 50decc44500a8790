// Parses slash commands in the assistant's chat. features/assistant runs them; a model never sees them.

/** In the order of `/help`. */
export const SLASH_COMMANDS = {
  help: { usage: '/help', does: 'list these commands' },
  status: { usage: '/status', does: 'show the status and what needs you' },
  approve: { usage: '/approve [id]', does: 'approve a pending approval' },
  reject: { usage: '/reject [id] [reason]', does: 'decline a pending approval' },
  schedule: { usage: '/schedule [when: text]', does: 'schedule a message, or list schedules' },
  pause: { usage: '/pause [id]', does: 'pause a conversation' },
  resume: { usage: '/resume [id]', does: 'resume a conversation' },
  digest: { usage: '/digest [group] [day]', does: 'show digests of observed groups' },
  stop: { usage: '/stop', does: 'stop what the assistant is doing now' },
  hold: { usage: '/hold', does: 'stop all sending' },
  release: { usage: '/release', does: 'end the hold' },
  new: { usage: '/new', does: 'start a new session without earlier messages' },
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
