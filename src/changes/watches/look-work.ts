// Looking at the watched part of a page, as work for another thread: the bytes of its versions as they came, in plain data.

import type { VersionBytes } from '../page-change/version-bytes.ts'
import { versionOf } from '../page-change/version-work.ts'
import { type Watch, type WatchedChange, WatchedPart } from '../page-change/watched/watched-part.ts'
import { excerptOf } from './excerpt.ts'
import type { Excerpt } from './page-watch.ts'

export interface LookWork {
  readonly look: Watch
  /** undefined: only what there is now. */
  readonly earlier: VersionBytes | undefined
  readonly later: VersionBytes
}

export interface Looked extends Omit<WatchedChange, 'difference'> {
  readonly excerpt: Excerpt
  /** The first lines of the part as it is now. */
  readonly lines: readonly string[]
  readonly lineCount: number
}

const linesMax = 20
const lineCharsMax = 300

export async function lookAtPart({ look, earlier, later }: LookWork): Promise<Looked> {
  const part = new WatchedPart(look)
  const now = await versionOf(later)
  const lines = part.lines(now)
  const shown = {
    isFound: lines !== undefined,
    lines: (lines ?? []).slice(0, linesMax).map((line) => line.slice(0, lineCharsMax).toWellFormed()),
    lineCount: lines?.length ?? 0,
  }
  if (earlier === undefined) {
    const nothing = { isFoundBefore: false, isChanged: false, isEnough: false, wordShare: 0 }
    return { ...shown, ...nothing, excerpt: excerptOf({ rows: [], rowsLeftOut: 0 }) }
  }
  const { isFoundBefore, isChanged, isEnough, wordShare, difference } = part.change(
    await versionOf(earlier),
    now,
  )
  return { ...shown, isFoundBefore, isChanged, isEnough, wordShare, excerpt: excerptOf(difference) }
}
