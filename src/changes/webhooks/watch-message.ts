// Watch message: what a receiver of webhooks is sent of what a watch saw: JSON with `type`, `timestamp` and `data`, as Standard Webhooks
// proposes. Its id is made of watch and event, so that whoever gets it twice, for whatever reason, can tell.

import { digestHex, digestOf } from '../../model/digest.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import { printUuid } from '../../model/uuid.ts'
import { excerptLines } from '../watches/excerpt.ts'
import { type PageWatch, type WatchSighting, watchTitle } from '../watches/page-watch.ts'
import { sightingWords } from '../watches/watch-words.ts'
import { writeWatch } from '../watches/written-watch.ts'

const idHexChars = 32

export function messageId(watch: string, event: Uint8Array): string {
  const name = `${watch} ${printUuid(event)}`
  return `msg_${digestHex(digestOf('sha256', name)).slice(0, idHexChars)}`
}

/** `origin`: where this archive is read. */
export function watchMessage(watch: PageWatch, sighting: WatchSighting, origin: string): string {
  return JSON.stringify({
    type: `watch.${sighting.kind}`,
    timestamp: new Date(sighting.atMs).toISOString(),
    data: {
      watch: {
        id: watch.id,
        title: watchTitle(watch),
        ...writeWatch(watch),
        page: `${origin}/watches/${watch.id}`,
      },
      ...sightingJson(sighting, origin),
    },
  })
}

export function trialMessage(atMs: number): string {
  return JSON.stringify({
    type: 'webhook.test',
    timestamp: new Date(atMs).toISOString(),
    data: { message: 'This archive sends what its watches see to this address.' },
  })
}

/** As interfaces show it, too. */
export function sightingJson(sighting: WatchSighting, origin: string): object {
  const { id, kind, url, atMs, part, wordShare, beforeMs, status, target, title, isFirst, excerpt } = sighting
  const at = printTimestamp(atMs)
  return {
    event: printUuid(id),
    kind,
    url,
    time: new Date(atMs).toISOString(),
    words: sightingWords(sighting),
    ...(isFirst && { first: true }),
    part,
    wordShare: wordShare ?? null,
    ...(status !== undefined && { status }),
    ...(target !== undefined && { target }),
    ...(title !== undefined && { title }),
    difference: excerptLines(excerpt),
    moreDifferences: excerpt.rowsLeftOut,
    version: kind === 'gone' ? null : `${origin}/web/${at}/${url}`,
    compare: beforeMs === undefined ? null : `${origin}/diff/${printTimestamp(beforeMs)}/${at}/${url}`,
  }
}
