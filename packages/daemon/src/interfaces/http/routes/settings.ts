// Routes for the settings that the owner changes over the API. No response ever contains a key.
import {
  changeSettingsSchema,
  listModelsSchema,
  modelListSchema,
  modelTrialSchema,
  settingsOverviewSchema,
} from '@relay/contract/api/settings';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

const tags = ['daemon'];

export function settingsRoutes(app: App, { settings }: Pick<HttpDeps, 'settings'>): void {
  app.get(
    '/api/settings',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'getSettings',
        summary: 'List all settings with their sources, the model and the web search',
        tags,
        response: { 200: settingsOverviewSchema, ...errorResponses() },
      },
    },
    () => settings.overview(),
  );

  app.patch(
    '/api/settings',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'changeSettings',
        summary: 'Change settings; omitted settings stay unchanged',
        description:
          'Written to `relay.config.json` completely or not at all. Settings whose `changes` is `now` take effect immediately, others after a restart; null restores the default. Settings from the environment are refused. A changed model is asked one short question first; if it does not answer, nothing is saved, unless `verify` is false.',
        tags,
        body: changeSettingsSchema,
        response: { 200: settingsOverviewSchema, ...errorResponses(400, 409, 413, 415) },
      },
    },
    async ({ body }) => {
      await settings.change(body);
      return settings.overview();
    },
  );

  app.post(
    '/api/settings/model/trial',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'tryModel',
        summary: 'Test the model with one short question; changes nothing',
        tags,
        response: { 200: modelTrialSchema, ...errorResponses(415) },
      },
    },
    () => settings.tryModel(),
  );

  app.post(
    '/api/settings/model/list',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'listModels',
        summary: 'List the models of the provider; changes nothing',
        description:
          'Without a body, of the configured provider. With one, of a provider, an address and a key before they are saved.',
        tags,
        body: listModelsSchema,
        response: { 200: modelListSchema, ...errorResponses(400, 413, 415) },
      },
    },
    ({ body }) => settings.listModels(body ?? {}),
  );
}
