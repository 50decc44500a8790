// Reads the generated types: which paths have which verb, what a call needs, what it answers.
import type { paths } from './openapi.ts';

type Verb = 'get' | 'post' | 'patch' | 'delete';
export type Operation<Path extends keyof paths, V extends Verb> = NonNullable<paths[Path][V]>;
/** Calls that are JSON both ways; archives, streams and pages are for the transport itself. */
export type PathsOf<V extends Verb> = {
  [Path in keyof paths]: [Answer<Operation<Path, V>>] extends [never] ? never : Path;
}[keyof paths];

type Json<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : Response extends { content?: never }
    ? null
    : never;
/** What a successful call resolves to; null where the answer has no body. */
export type Answer<Op> = Op extends { requestBody: { content: { 'application/gzip': unknown } } }
  ? never
  : Op extends { responses: infer Responses }
    ? { [S in keyof Responses & (200 | 201 | 204)]: Json<Responses[S]> }[keyof Responses &
        (200 | 201 | 204)]
    : never;

type Part<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : Record<never, never> extends Value
    ? { readonly [N in Name]?: Value }
    : { readonly [N in Name]: Value };
type Parameter<Op, Where extends string> = Op extends { parameters: infer P }
  ? Where extends keyof P
    ? Exclude<P[Where], undefined>
    : never
  : never;
type Given<Op> = Op extends { requestBody?: infer R } ? NonNullable<R> : never;
type Body<Op> = [Given<Op>] extends [never]
  ? never
  : Given<Op> extends { content: { 'application/json': infer B } }
    ? B
    : never;
type Input<Op> = { readonly signal?: AbortSignal } & Part<'path', Parameter<Op, 'path'>> &
  Part<'query', Parameter<Op, 'query'>> &
  Part<'header', Parameter<Op, 'header'>> &
  Part<'body', Body<Op>>;
export type Rest<Op> =
  Record<never, never> extends Input<Op> ? [input?: Input<Op>] : [input: Input<Op>];
