// Version changes: the changes of a page as its versions in the archive show them, also long after the log of changes has dropped them,
// and for what was imported. Ids are those of the captures' records, as in the log.

import type { ArchivedCapture } from '../../model/archive.ts'
import { digestHex, digestOf } from '../../model/digest.ts'
import type { ChangeKind } from '../change-event.ts'
import { idBytes } from '../event-coding.ts'
import { noExcerpt, type WatchSighting } from '../watches/page-watch.ts'

interface Seen {
  readonly content: string
  readonly atMs: number
}

/** Oldest first, in and out. */
export function changesOfVersions(versions: readonly ArchivedCapture[]): WatchSighting[] {
  const changes: WatchSighting[] = []
  let seen: Seen | undefined
  let isGone = false
  for (const version of versions) {
    const { status, content, capturedAtMs } = version
    if (status === 404 || status === 410) {
      if (seen !== undefined && !isGone) changes.push(changeOf(version, 'gone', undefined))
      isGone = true
      continue
    }
    if (status >= 300 || content === undefined) continue
    const now = { content: digestHex(content.digest), atMs: capturedAtMs }
    if (seen === undefined) changes.push(changeOf(version, 'new', undefined))
    else if (isGone) changes.push(changeOf(version, 'back', seen.atMs))
    else if (now.content !== seen.content) changes.push(changeOf(version, 'changed', seen.atMs))
    else continue
    isGone = false
    seen = now
  }
  return changes
}

function changeOf(
  { recordId, capturedAtMs, url, status }: ArchivedCapture,
  kind: ChangeKind,
  beforeMs: number | undefined,
): WatchSighting {
  return {
    id: idOf(recordId),
    stamp: capturedAtMs,
    atMs: capturedAtMs,
    kind,
    url,
    isFirst: false,
    part: 'unread',
    partBefore: 'unread',
    wordShare: undefined,
    beforeMs,
    status: kind === 'gone' ? status : undefined,
    target: undefined,
    title: undefined,
    excerpt: noExcerpt,
  }
}

/** Records that were imported may have ids of any kind. */
function idOf(recordId: string): Uint8Array {
  const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.exec(recordId)?.[0]
  return uuid === undefined
    ? digestOf('sha256', recordId).bytes.subarray(0, idBytes)
    : Buffer.from(uuid.replaceAll('-', ''), 'hex')
}
