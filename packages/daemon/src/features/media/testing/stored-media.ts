// Stores media of a message for tests, as the download does, and understands it with the daemon's own parts.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MediaKind } from '@relay/contract/api/media';
import { type ChatId, type MediaId, type MessageId, mediaId } from '@relay/contract/ids';
import { agentSchema, transcriptionSchema } from '@relay/contract/settings';
import { testSealer } from '@relay/testing/sealer';
import { sql } from 'kysely';
import { afterAll } from 'vitest';
import { recordObjectsSql } from '../../../platform/db/media.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { Engine } from '../../../platform/jobs/engine.ts';
import { createMediaService, readWholeFile } from '../service.ts';
import { MediaStore } from '../store.ts';
import { openTranscription } from '../transcription.ts';
import { enqueueUnderstanding, onUnderstandJob, type UnderstandDeps } from '../understand.ts';
import { modelSettingsOf } from './settings.ts';

interface MediaToPut {
  readonly chat: ChatId;
  /** As `store` of the fixture returns it. */
  readonly of: { readonly message: number; readonly sentAt: string };
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly fileName?: string;
  readonly bytes: Buffer;
}

interface MediaFixtureOptions {
  /** The address of the transcription server. */
  readonly server?: string;
  onUnderstood?: UnderstandDeps['onUnderstood'];
}

export type MediaFixture = Awaited<ReturnType<typeof openMediaFixture>>;

export async function openMediaFixture(
  engine: Engine,
  { server, onUnderstood = async () => {} }: MediaFixtureOptions = {},
) {
  const home = await mkdtemp(join(tmpdir(), 'relay-media-'));
  afterAll(() => rm(home, { recursive: true, force: true }));
  const { lease } = engine;
  const store = new MediaStore({ home, sealer: testSealer, account: lease.account });
  const service = createMediaService({
    ...engine,
    store,
    admins: [],
    limits: () => {
      throw new Error('nothing is uploaded');
    },
  });
  const settings = transcriptionSchema.parse(
    server === undefined ? {} : { by: 'endpoint', model: 'whisper-1', usd_per_minute: 0.6 },
  );
  const deps: UnderstandDeps = {
    ...engine,
    transcription: async () => settings,
    openTranscription: async () =>
      openTranscription(settings, modelSettingsOf({ model_base_url: server ?? null })),
    budget: agentSchema.parse({}),
    openMedia: (row) => service.open(row),
    onUnderstood,
  };
  return {
    deps,
    service,
    readPhoto: (object: string) => readWholeFile({ ...engine, store }, object),
    work: () => engine.jobs.work('understand', 2, onUnderstandJob(deps)),
    /** The row before its download: turns wait for it. */
    async await({ chat, of, kind }: Pick<MediaToPut, 'chat' | 'of' | 'kind'>): Promise<MediaId> {
      return transaction(deps, async ({ tx }) => {
        const unknown = { mimeType: null, fileName: null, size: null, seconds: null };
        const { rows } = await sql<{ message_id: MessageId }>`
          UPDATE messages SET media = ${JSON.stringify(unknown)}::jsonb
          WHERE account_id = ${lease.account} AND id = ${of.message} AND sent_at = ${of.sentAt}
          RETURNING message_id`.execute(tx);
        const { id } = await tx
          .insertInto('media')
          .values({
            account_id: lease.account,
            chat_id: chat,
            message: of.message,
            message_at: new Date(of.sentAt),
            message_id: rows[0]?.message_id ?? null,
            origin: 'received',
            kind,
            state: 'waiting',
            created_at: engine.now(),
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        return mediaId(id);
      });
    },
    /** Stores the bytes and queues the job that understands them. */
    async put(media: MediaToPut, row?: MediaId): Promise<MediaId> {
      const id = row ?? (await this.await(media));
      async function* bytes() {
        yield media.bytes;
      }
      await store.put(bytes(), { limit: 1e8 }, (stored) =>
        transaction(deps, async (work) => {
          await recordObjectsSql(lease.account, [stored]).execute(work.tx);
          await work.tx
            .updateTable('media')
            .set({
              state: 'stored',
              sha256: stored.sha256,
              bytes: stored.bytes,
              kind: media.kind,
              mime_type: media.mimeType,
              file_name: media.fileName ?? null,
            })
            .where('account_id', '=', lease.account)
            .where('id', '=', id)
            .execute();
          await enqueueUnderstanding(deps, work, {
            id,
            kind: media.kind,
            mime_type: media.mimeType,
            file_name: media.fileName ?? null,
            seconds: null,
            message: media.of.message,
            view_once: false,
          });
        }),
      );
      return id;
    },
  };
}
