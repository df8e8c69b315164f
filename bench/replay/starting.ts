// Servers that take a moment to start.

import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { processorSeconds } from '../scale/processor-time.ts'

const startMsMax = 60_000
/** A peer is at rest when it uses less than a twentieth of a processor for so long. */
const restMs = 3_000
const restMsMax = 10 * 60_000

/** A minute after its start a peer begins to read all that it keeps, to find rot: seconds of processor time for a home that was just
 * filled, and no part of what is measured. */
export const withoutScrub: readonly string[] = ['--set', 'store.scrubEvery=0s']

/** The search index and ranks, too, as far as the tree knows them: a peer that finds a home full of pages indexes them all. */
export function withoutOwnWork(tree: string): string[] {
  const table = join(tree, 'src/config/settings.ts')
  // Commits that have it elsewhere know neither.
  const settings = existsSync(table) ? readFileSync(table, 'utf8') : ''
  const known = ['search.index=no', 'rank.maxAge=0s'].filter((setting) =>
    settings.includes(`'${setting.split('=')[0]}'`),
  )
  return [...withoutScrub, ...known.flatMap((setting) => ['--set', setting])]
}

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

/** Until it has done what it does by itself: indexed what it keeps, ranked it. Gives the processor time, in seconds, that it has used by
 * then. */
export async function untilAtRest({ pid, spawnfile }: ChildProcess): Promise<number> {
  const endMs = performance.now() + restMsMax
  for (let used = await processorSeconds(pid!); ; ) {
    await setTimeout(restMs)
    const now = await processorSeconds(pid!)
    if (now - used < restMs / 20 / 1e3) return used
    if (performance.now() > endMs) throw new Error(`${spawnfile} does not come to rest`)
    used = now
  }
}
