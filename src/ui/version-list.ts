// Version list: the captures of a URL in a stretch of time, one page of them, each with whether it changed.

import { allOf, firstOf } from '../model/listed.ts'
import { printTimestamp } from '../model/timestamp.ts'
import type { Url } from '../model/url/url.ts'
import type { Span } from './address.ts'
import type { PageArchive, Version } from './archive.ts'
import { thumbnailTimes } from './thumbnails.ts'
import { isChanged } from './version-state.ts'

export interface ListedVersion {
  readonly version: Version
  readonly before: Version | undefined
  readonly isChanged: boolean
  readonly hasThumbnail: boolean
}

export interface VersionList {
  /** Oldest first. */
  readonly versions: readonly ListedVersion[]
  /** The span of the next page, as an address has it. */
  readonly next: string | undefined
}

export const listedVersionsMax = 100

export async function versionListOf(
  archive: Pick<PageArchive, 'versions' | 'viewTimes'>,
  url: Url,
  { fromMs, toMs }: Pick<Span, 'fromMs' | 'toMs'>,
): Promise<VersionList> {
  const between = { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) }
  const found = await allOf(archive.versions(url, { ...between, limit: listedVersionsMax + 1 }))
  const versions: ListedVersion[] = []
  let before =
    fromMs === undefined
      ? undefined
      : await firstOf(archive.versions(url, { toMs: fromMs, reverse: true, limit: 1 }))
  const pictures = await picturesOf(archive, url, found)
  for (const version of found.slice(0, listedVersionsMax)) {
    const hasThumbnail = pictures.has(version.capturedAtMs)
    versions.push({ version, before, isChanged: isChanged(before, version), hasThumbnail })
    before = version
  }
  return { versions, next: nextSpan(found, toMs) }
}

async function picturesOf(
  archive: Pick<PageArchive, 'viewTimes'>,
  url: Url,
  found: readonly Version[],
): Promise<ReadonlySet<number>> {
  const [first] = found
  if (first === undefined) return new Set()
  return thumbnailTimes(archive, url, { fromMs: first.capturedAtMs, toMs: found.at(-1)!.capturedAtMs })
}

function nextSpan(found: readonly Version[], toMs: number | undefined): string | undefined {
  const following = found[listedVersionsMax]
  if (following === undefined) return undefined
  // Addresses know seconds. A second with more captures than fit on a page is left behind, or the list would not end.
  const isStuck = secondOf(following) === secondOf(found[0]!)
  const startMs = (secondOf(following) + (isStuck ? 1 : 0)) * 1_000
  return `${printTimestamp(startMs)}-${toMs === undefined ? '' : printTimestamp(toMs - 1)}`
}

function secondOf({ capturedAtMs }: Version): number {
  return Math.floor(capturedAtMs / 1_000)
}
