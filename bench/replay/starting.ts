// Servers that take a moment to start.

import type { ChildProcess } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'

const startMsMax = 60_000

/** A minute after its start a peer begins to read all that it keeps, to find rot: seconds of processor time for a home that was just
 * filled, and no part of what is measured. */
export const withoutScrub: readonly string[] = ['--set', 'store.scrubEvery=0s']

export async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  const endMs = performance.now() + startMsMax
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
    if (performance.now() > endMs) throw new Error(`${child.spawnfile} does not answer at ${url}`)
    try {
      await (await fetch(url)).arrayBuffer()
      return
    } catch {
      await setTimeout(50)
    }
  }
}
