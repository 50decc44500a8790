import { expect, onTestFinished, test, vi } from 'vitest';
import { closeIfFailed, thenClose } from './then-close.ts';

const fails = (message: string) => async () => {
  throw new Error(message);
};

test('an error while closing does not hide the error of the work, and is printed', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => print.mockRestore());
  const closable = { close: vi.fn(fails('close')) };
  await expect(thenClose(closable, fails('work'))).rejects.toThrow('work');
  expect(closable.close).toHaveBeenCalledOnce();
  expect(print).toHaveBeenCalledWith(expect.any(String), new Error('close'));
});

test('an error while closing is thrown when the work succeeded', async () => {
  await expect(thenClose({ close: fails('close') }, async () => 1)).rejects.toThrow('close');
});

test('closeIfFailed does not close after a success', async () => {
  const closable = { close: vi.fn(async () => {}) };
  expect(await closeIfFailed(closable, async () => 1)).toBe(1);
  expect(closable.close).not.toHaveBeenCalled();
});
