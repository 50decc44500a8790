import { expect, test } from 'vitest';
import { readImportEvents } from './chat-import.ts';

test('reads progress line by line, wherever the chunks are cut', async () => {
  const text =
    '{"type":"progress","lines":1,"percent":50}\n{"type":"failed","error":"No.","code":"x"}\n';
  const bytes = new TextEncoder().encode(text);
  const cut = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of [bytes.slice(0, 7), bytes.slice(7, 50), bytes.slice(50)])
        controller.enqueue(part);
      controller.close();
    },
  });
  const types: string[] = [];
  for await (const { type } of readImportEvents(cut)) types.push(type);
  expect(types).toEqual(['progress', 'failed']);
});
