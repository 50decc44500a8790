// The owner's other memory as routes and commands set it up.
import type {
  ChangedOutsideMemory,
  ChangeOutsideMemory,
  OutsideMemoryState,
} from '../api/outside-memory.ts';

export interface OutsideMemoryVerbs {
  state(): Promise<OutsideMemoryState>;
  change(changed: ChangeOutsideMemory): Promise<ChangedOutsideMemory>;
}
