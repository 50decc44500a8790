// `relay model`: shows the model of the agents, lists the provider's models, and tests the configured one.
import { parseProviderName } from '@relay/contract/agent/providers';
import { RelayError } from '@relay/contract/errors';
import { clientOf, longTimeoutClientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatCount, toOneLine } from '../format.ts';

export const showModelCommand: RunCommand = async ({ config, terminal }) => {
  const { model } = await clientOf(config.home).get('/api/settings');
  if (terminal.json) terminal.writeJson(model);
  else {
    terminal.writeLine(model.sentence);
    if (model.base_url !== null) terminal.writeLine(`Address: ${toOneLine(model.base_url)}`);
    if (model.ready) terminal.note('Test it with `relay model test`.');
  }
  return 0;
};

export const testModelCommand: RunCommand = async ({ config, terminal }) => {
  terminal.progress('Testing the model …');
  const trial = await longTimeoutClientOf(config.home).post('/api/settings/model/trial');
  if (terminal.json) terminal.writeJson(trial);
  else {
    const { green, red } = terminal.colours;
    terminal.writeLine(`${trial.ok ? green('✓') : red('✗')} ${toOneLine(trial.sentence)}`);
  }
  return trial.ok ? 0 : 1;
};

export const listModelsCommand: RunCommand = async ({ config, terminal, options }) => {
  const { provider, baseUrl } = options;
  const name = typeof provider === 'string' ? parseProviderName(provider) : undefined;
  if (name === null) throw new RelayError('usage', { what: `There is no provider "${provider}".` });
  const body = {
    ...(name === undefined ? {} : { model_provider: name }),
    ...(typeof baseUrl === 'string' ? { model_base_url: baseUrl } : {}),
  };
  const listed = await clientOf(config.home).post('/api/settings/model/list', { body });
  if (terminal.json) {
    terminal.writeJson(listed);
    return 0;
  }
  for (const model of listed.models) terminal.writeLine(toOneLine(model));
  if (listed.models.length === 0) terminal.progress('The provider lists no models for agents.');
  else {
    const count = formatCount(listed.models.length, 'model');
    terminal.note(
      `${count}. Use one with \`relay init --provider ${listed.provider} --model <name>\`.`,
    );
  }
  return 0;
};
