// What a reader wants to know of a version at a glance: did it answer, and was it different from the one before.

import type { Version } from './archive.ts'
import type { Html } from './markup/html.ts'
import { versionsTexts } from './texts/versions.ts'

export type Outcome = 'good' | 'redirect' | 'missing' | 'broken' | 'other'

export function outcomeOf({ status }: Pick<Version, 'status'>): Outcome {
  if (status === 0 || (status >= 200 && status < 300) || status === 304) return 'good'
  if (status >= 300 && status < 400) return 'redirect'
  if (status >= 400 && status < 500) return 'missing'
  return status >= 500 ? 'broken' : 'other'
}

export const outcomeNames: Readonly<Record<Outcome, Html>> = {
  good: versionsTexts.answered,
  redirect: versionsTexts.redirect,
  missing: versionsTexts.missingStatus,
  broken: versionsTexts.brokenStatus,
  other: versionsTexts.otherStatus,
}

/** Whether a version's content differs from that of the version before it; the first one is new. */
export function isChanged(before: Version | undefined, version: Version): boolean {
  if (before === undefined) return true
  if (version.kind === 'not-modified') return false
  const left = before.content
  const right = version.content
  if (left === undefined || right === undefined) return version.kind !== 'same'
  if (left.overflow !== right.overflow || before.status !== version.status) return true
  return Buffer.compare(left.digest.bytes, right.digest.bytes) !== 0
}
