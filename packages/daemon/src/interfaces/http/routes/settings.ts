// Routes for the settings that the owner changes over the API. No response ever contains a key.
import {
  changeSettingsSchema,
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
      schema: {
        operationId: 'changeSettings',
        summary: 'Change settings; omitted settings stay unchanged',
        description:
          'Written to `relay.config.json` completely or not at all. Settings whose `changes` is `now` take effect immediately, others after a restart; null restores the default. Settings from the environment are refused.',
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
      schema: {
        operationId: 'tryModel',
        summary: 'Test the model with one short question; changes nothing',
        tags,
        response: { 200: modelTrialSchema, ...errorResponses(415) },
      },
    },
    () => settings.tryModel(),
  );
}
