// Version 1 of the API as functions: `relay.v1.conversations.list()`. The names are the operations' ids. A file is a Blob.
import type {
  Client,
  JsonResult,
  Operation,
  OperationInput,
  RequestParts,
  Verb,
} from './client.ts';
import type { paths } from './openapi.ts';
import { V1_OPERATIONS } from './v1-operations.ts';

type Operations = typeof V1_OPERATIONS;
type OperationId = keyof Operations;
type Noun = OperationId extends infer Id ? (Id extends `${infer N}.${string}` ? N : never) : never;
type Described<Id extends OperationId> = Operations[Id] extends readonly [
  infer Method extends string,
  infer Path extends keyof paths,
  ...unknown[],
]
  ? Lowercase<Method> extends infer V extends Verb
    ? Operation<Path, V>
    : never
  : never;

/** The account is `default` unless another is named. */
type Input<Op> = Omit<OperationInput<Op>, 'path'> &
  (OperationInput<Op> extends { readonly path: infer Path }
    ? Record<never, never> extends Omit<Path, 'account'>
      ? { readonly path?: { readonly account?: string } }
      : { readonly path: Omit<Path, 'account'> & { readonly account?: string } }
    : unknown);

type Result<Op> = [JsonResult<Op>] extends [never] ? Blob : JsonResult<Op>;

type Call<Op> =
  Record<never, never> extends Input<Op>
    ? (input?: Input<Op>) => Promise<Result<Op>>
    : (input: Input<Op>) => Promise<Result<Op>>;

export type V1Client = {
  readonly [N in Noun]: {
    readonly [Id in OperationId as Id extends `${N}.${infer Name}` ? Name : never]: Call<
      Described<Id>
    >;
  };
};

type OperationRow = readonly [method: Uppercase<Verb>, path: string, answer?: 'file'];

export function createV1Client({ call }: Pick<Client, 'call'>): V1Client {
  const client: Record<string, Record<string, unknown>> = {};
  for (const [id, [method, path, answer]] of Object.entries<OperationRow>(V1_OPERATIONS)) {
    const [noun = '', verb = ''] = id.split('.');
    client[noun] ??= {};
    client[noun][verb] = ({ path: named, ...input }: RequestParts = {}) =>
      call(method, path, {
        ...input,
        path: { account: 'default', ...named },
        wantsFile: answer === 'file',
      });
  }
  return client as unknown as V1Client;
}
