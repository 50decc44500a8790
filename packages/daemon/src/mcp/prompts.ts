// Prompts as a server offers them: those that the token's scopes open, with arguments that were looked at.
import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { type Asking, answering } from './answering.ts';
import { offerCompletions } from './completions.ts';
import { type Given, isOpen, PROMPTS, type ProgramPrompt, quoted } from './prompt-texts.ts';
import { JSON_TYPE } from './resources/list.ts';
import { type Place, uriOf } from './resources/uris.ts';
import type { ProgramWorld } from './world.ts';

export function offerPrompts(
  server: Server,
  { world, hash }: { readonly world: ProgramWorld; readonly hash: string },
): void {
  server.registerCapabilities({ prompts: {} });
  server.setRequestHandler('prompts/list', () =>
    answering(world, hash, async ({ program }) => ({
      prompts: PROMPTS.filter((prompt) => isOpen(program, prompt)).map(shown),
    })),
  );
  server.setRequestHandler('prompts/get', ({ params }) =>
    answering(world, hash, (asking) => written(asking, params.name, params.arguments ?? {})),
  );
  offerCompletions(server, { world, hash });
}

const shown = (prompt: ProgramPrompt): Prompt => ({
  name: prompt.name,
  title: prompt.title,
  description: prompt.description,
  arguments: prompt.arguments.map(({ longest: _, ...argument }) => argument),
});

async function written(
  asking: Asking,
  name: string,
  given: Readonly<Record<string, string>>,
): Promise<GetPromptResult> {
  const prompt = PROMPTS.find((each) => each.name === name && isOpen(asking.program, each));
  if (prompt === undefined) throw invalid(`There is no prompt ${quoted(name.slice(0, 60))}.`);
  const { text, places } = await prompt.write(asking, checked(prompt, given));
  return {
    description: prompt.description,
    messages: [
      { role: 'user', content: { type: 'text', text } },
      ...places.map((place) => ({ role: 'user' as const, content: linked(place) })),
    ],
  };
}

/** One line each: a break would look like another of ours. */
function checked(prompt: ProgramPrompt, given: Readonly<Record<string, string>>): Given {
  const unknown = Object.keys(given).find(
    (name) => !prompt.arguments.some((argument) => argument.name === name),
  );
  if (unknown !== undefined)
    throw invalid(`${prompt.name} has no argument ${quoted(unknown.slice(0, 60))}.`);
  return Object.fromEntries(
    prompt.arguments.flatMap(({ name, required, longest }) => {
      const value = (given[name] ?? '').replace(/\s+/g, ' ').trim();
      if (value.length > longest) throw invalid(`${name} is longer than ${longest} characters.`);
      if (value === '' && required) throw invalid(`${prompt.name} needs ${name}.`);
      return value === '' ? [] : [[name, value]];
    }),
  );
}

const invalid = (sentence: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, sentence);

const linked = (place: Place) => ({
  type: 'resource_link' as const,
  uri: uriOf(place),
  name: uriOf(place).slice('relay://'.length),
  mimeType: JSON_TYPE,
});
