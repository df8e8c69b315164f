// The operating system's cache of files: Webstore's retrievals are measured without it.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

/** Makes the next reads come from disk. False where we may not: only the superuser may, and only on Linux. */
export function dropPageCache(): boolean {
  try {
    // What is not yet on disk cannot be dropped.
    execFileSync('sync')
    writeFileSync('/proc/sys/vm/drop_caches', '3')
    return true
  } catch {
    return false
  }
}
