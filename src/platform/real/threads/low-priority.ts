// A thread that works when nobody else does.

import { setPriority } from 'node:os'

const niceness = 10

/** Only on Linux do threads have a priority of their own. */
export function workWhenIdle(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(0, niceness)
  } catch {
    // It is not allowed everywhere, and nothing depends on it.
  }
}
