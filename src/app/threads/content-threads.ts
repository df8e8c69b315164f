// The thread that takes part in reading contents: one for all stores of a process. It starts when many are read at the same time, and
// ends when none are for a while.

import { availableParallelism } from 'node:os'
import { programModule } from '../../platform/program-files.ts'
import { RealSideWork } from '../../platform/real/threads/side-work.ts'
import type { SideWork } from '../../platform/side-work.ts'

const contentThread = programModule('app/threads/content-thread')
let sideWork: SideWork | undefined

/** undefined where there is no other core for it. */
export function contentSideWork(): SideWork | undefined {
  if (availableParallelism() < 2) return undefined
  sideWork ??= new RealSideWork(contentThread)
  return sideWork
}
